import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Standing } from "../server/footprint.ts";
import type { Topic } from "../server/live.ts";

/** Follows events while the page is visible, and tells the state of the shop and its back office. */
export function useLive(): Standing | "offline" {
  const client = useQueryClient();
  const [standing, setStanding] = useState<Standing | "offline">("ready");

  useEffect(() => {
    let source: EventSource | undefined;
    let wasCut = false;

    function open() {
      source = new EventSource("/api/live");
      source.addEventListener("standing", ({ data }: MessageEvent<string>) => {
        const told: Standing = JSON.parse(data);
        // Anything that happened meanwhile was missed.
        if (told === "ready" && wasCut) client.invalidateQueries();
        wasCut = told !== "ready";
        setStanding(told);
      });
      source.addEventListener("stale", ({ data }: MessageEvent<string>) => {
        for (const topic of JSON.parse(data) as Topic[]) client.invalidateQueries({ queryKey: [topic] });
      });
      source.onerror = () => {
        wasCut = true;
        setStanding("offline");
        // An answer that is no stream ends it for good: perhaps signed out elsewhere.
        if (source?.readyState === EventSource.CLOSED) {
          client.invalidateQueries({ queryKey: ["shop"] });
          source = undefined;
          timer = setTimeout(look, 2_000);
        }
      };
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Browsers open few connections to one host, so hidden pages do without.
    function look() {
      clearTimeout(timer);
      if (document.hidden) {
        source?.close();
        source = undefined;
        wasCut = true;
      } else if (!source) open();
    }
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
      source?.close();
    };
  }, [client]);

  return standing;
}
