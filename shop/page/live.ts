import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Standing } from "../server/footprint.ts";
import type { Topic } from "../server/live.ts";

/** Follows what happens while the page is looked at, and says how the shop and its back office stand. */
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
        // Whatever happened meanwhile was not heard of.
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
        // An answer other than a stream ends it for good: signed out elsewhere, perhaps.
        if (source?.readyState === EventSource.CLOSED) {
          client.invalidateQueries({ queryKey: ["shop"] });
          source = undefined;
          timer = setTimeout(look, 2_000);
        }
      };
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A browser opens few connections to one host: those who do not look do without.
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
