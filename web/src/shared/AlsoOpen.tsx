import { events } from "@footprint/contract/events.ts";
import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import classes from "./AlsoOpen.module.css";
import { callApi } from "./api.ts";
import { isUnattended } from "./attended.ts";
import { Emblem } from "./Emblem.tsx";
import { useLive } from "./liveEvents.ts";
import { randomId } from "./randomId.ts";

/** The server forgets after 25 seconds. */
const sayAgain = 10_000;

/** Shows who else has this record open, and tells them of this tab. With little room, names only. */
export function AlsoOpen({ id, isBrief = false }: { id: string | undefined; isBrief?: boolean }) {
  const others = useAlsoOpen(id);
  if (others.length === 0) return null;
  const names = others.map(({ username }) => username).join(", ");
  return (
    <span className={classes.also} data-also role="status" title={`Also open: ${names}`}>
      {others.slice(0, 3).map(({ _id, username }) => (
        <Emblem key={_id} size={22}>
          {username.charAt(0).toUpperCase()}
        </Emblem>
      ))}
      <span className={classes.names}>
        {isBrief ? <VisuallyHidden component="span">Also open: </VisuallyHidden> : "Also open: "}
        {names}
      </span>
    </span>
  );
}

function useAlsoOpen(id: string | undefined) {
  // Stepping through a list opens many records for a moment; these are not announced.
  const [open, setOpen] = useState("");
  useEffect(() => {
    const settled = setTimeout(() => setOpen(id ?? ""), 300);
    return () => clearTimeout(settled);
  }, [id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one for each, so that to close one never closes the next
  const tab = useMemo(randomId, [open]);
  const say = (what: string | null, keepalive = false) =>
    callApi(events.setPresence, { body: { tab, open: what } }, { byItself: true, keepalive }).catch(() => undefined);
  const { data, refetch } = useQuery({
    queryKey: [events.setPresence.path, { params: { id: open } }],
    // If nobody touches the panel, nothing counts as open.
    queryFn: async () => (isUnattended() ? undefined : await say(open))?.others ?? [],
    enabled: open !== "",
    gcTime: 0,
    refetchInterval: sayAgain,
  });
  useLive("presence", (ids) => void ((ids === true || ids.includes(open)) && refetch()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: when this one is closed, or the page
  useEffect(() => {
    if (!open) return;
    const close = () => void say(null, true);
    window.addEventListener("pagehide", close);
    return () => {
      window.removeEventListener("pagehide", close);
      close();
    };
  }, [open]);
  return (open === id && data) || [];
}
