import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** An address in front of a database, like a load balancer or network: it can move, fall silent, or break. */
export async function wireTo(port: number) {
  let target = port;
  let swallows = false;
  const ends = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.on("data", (data) => !swallows && to.write(data));
      from.on("error", () => {});
      from.on("close", () => ends.delete(from) && to.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const tear = () => {
    for (const end of ends) end.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    tear,
    /** New connections go there; open ones stay where they are. */
    lead(to: { port: number }) {
      target = to.port;
    },
    swallow(everything: boolean) {
      swallows = everything;
    },
    async end() {
      server.close();
      tear();
    },
  };
}
