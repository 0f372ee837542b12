import { events as contract } from "@footprint/contract/events.ts";
import { routes } from "../http/routes.ts";

export const eventRoutes = routes(contract, {
  async stream({ events, actor }) {
    return (response) => events.openStream(actor, response, streamHeaders);
  },

  async setPresence({ events, actor, body }) {
    return { others: events.setPresence(actor, body) };
  },
});

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // The connection ends with the stream, so that nothing delays a server that stops.
  connection: "close",
  // Buffering by a proxy would make events late.
  "x-accel-buffering": "no",
};
