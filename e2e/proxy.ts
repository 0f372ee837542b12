import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { events } from "@footprint/contract/events.ts";

/** A proxy between panels and servers, with habits that some have. */
export async function startProxy(target: string) {
  const proxy = {
    /** Where calls go; undefined while nothing is there. */
    target: target as string | undefined,
    /** Holds answers back until they are complete, which a stream never is. */
    buffers: false,
  };
  const sockets = new Set<Socket>();
  const streams = new Set<IncomingMessage>();
  const server = createServer((call, answer) => {
    if (!proxy.target) return call.socket.destroy();
    const onward = request(new URL(call.url ?? "/", proxy.target), { method: call.method, headers: call.headers });
    onward.on("error", () => call.socket.destroy());
    onward.on("response", (response) => {
      response.on("error", () => call.socket.destroy());
      if (call.url === events.stream.path) {
        streams.add(call);
        answer.once("close", () => response.destroy());
        if (proxy.buffers) return void response.resume();
      }
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
    });
    call.pipe(onward);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    proxy,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How many streams were requested. */
    asked: () => streams.size,
    /** Silently ends idle connections. */
    cutIdle() {
      for (const call of streams) call.socket.destroy();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((done) => server.close(done));
    },
  };
}
