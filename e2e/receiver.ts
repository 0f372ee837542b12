import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

type Received = { headers: Record<string, string>; body: string };

/** A shop's receiver of webhooks on this machine: what arrived, in order, and how it answers. */
export async function startReceiver() {
  const received: Received[] = [];
  const answer = { status: 200, text: "thank you" };
  const server = createServer(async (request, response) => {
    let body = "";
    request.setEncoding("utf8");
    for await (const piece of request) body += piece;
    received.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(answer.status).end(answer.text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    /** How the next deliveries are answered. */
    answer,
    /** The events of a type that arrived, each verified as a shop would, with the public library. */
    events: (type: string, secret: string) =>
      received
        .filter(({ body }) => JSON.parse(body).type === type)
        .map(({ body, headers }) => new Webhook(secret).verify(body, headers) as Told),
    received,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Told = { id: string; type: string; timestamp: string; data: Record<string, unknown> };
