import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Received = { headers: Record<string, string>; body: string };

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown;

/** A webhook receiver on this machine: every complete request, in order, and how it answers. */
export async function receiver(answer: Answer = (response) => response.end("ok"), port = 0) {
  const received: Received[] = [];
  const state = { answer };
  const server = createServer(async (request, response) => {
    let body = "";
    request.setEncoding("utf8");
    for await (const piece of request) body += piece;
    const whole = { headers: request.headers as Record<string, string>, body };
    received.push(whole);
    await state.answer(response, whole, request);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const address = server.address() as AddressInfo;
  return {
    ...{ received, close, server, port: address.port },
    url: `http://127.0.0.1:${address.port}/hooks`,
    answerWith(next: Answer) {
      state.answer = next;
    },
  };
}
