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
  // It ends with the stream: a server that stops, or a reader who does not take the end, holds nothing up.
  connection: "close",
  // A proxy that collected events would make them late.
  "x-accel-buffering": "no",
};
