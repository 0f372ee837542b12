import { logs } from "@footprint/contract/logs.ts";
import { formatCount } from "../../shared/format.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";

/** How far the log is chained. Whoever notes the link elsewhere can tell later whether the log was rewritten. */
export function NewestLink() {
  const { data } = useApiQuery(logs.chain, {});
  if (!data) return null;
  const { link, waiting } = data;
  const wait = waiting > 0 && ` · ${formatCount(waiting)} waiting`;
  if (!link) return <>No entry is chained yet{wait}</>;
  return (
    <>
      Chained up to #{formatCount(link.number)} ·{" "}
      <ShortId value={`${link.number}:${link.hash}`} shown={link.hash} name="link" />
      {wait}
    </>
  );
}
