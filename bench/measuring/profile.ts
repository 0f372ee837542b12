import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** V8's format: `samples` says which node was running, `timeDeltas` for how many microseconds. */
type Profile = {
  startTime: number;
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
};

/** The clock of profiles. */
export const microseconds = () => Number(process.hrtime.bigint() / 1000n);

/** Where processor time went, largest share first: by package, by Node module, by our own files. */
export async function profileOf(folder: string, since: number): Promise<string> {
  const times = new Map<string, number>();
  for (const file of await readdir(folder)) {
    const { startTime, nodes, samples, timeDeltas }: Profile = JSON.parse(await readFile(join(folder, file), "utf8"));
    const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
    let time = startTime;
    for (const [index, id] of samples.entries()) {
      const delta = timeDeltas[index] ?? 0;
      time += delta;
      const place = places.get(id) ?? "";
      if (time > since) times.set(place, (times.get(place) ?? 0) + delta);
    }
  }
  times.delete("(idle)");
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 20)
    .map(([place, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${place}`)
    .join("\n");
}

function placeOf({ functionName, url }: { functionName: string; url: string }): string {
  // The engine's own work, and native functions of Node.
  if (url === "") return functionName;
  return /node_modules\/((@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? /((server|contract)\/.*)$/.exec(url)?.[1] ?? url;
}
