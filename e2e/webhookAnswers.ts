import type { Delivery, DeliveryStory, Webhook } from "@footprint/contract/webhooks.ts";
import type { Page } from "@playwright/test";

/** Webhooks and deliveries of every kind, which the seed lacks. */
const idOf = (place: number) => `01990000-0000-7000-8000-00000000000${place}`;
const from = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const all = (): [main: Webhook, failing: Webhook, paused: Webhook] => {
  const usual: Webhook = {
    _id: idOf(1),
    url: "https://shop.example.com/hooks/footprint",
    note: "Main shop",
    events: [],
    state: "active",
    pausedBecause: "",
    pausedAt: null,
    pausedByItself: false,
    waiting: 0,
    nextTryAt: null,
    lastDeliveredAt: from(-4),
    oldSecretUntil: null,
    createdAt: from(-60 * 24 * 40),
  };
  return [
    usual,
    {
      ...usual,
      _id: idOf(2),
      url: "https://hooks.market-stall.example.org/v2/integrations/footprint/3f9c1d7e5b",
      note: "",
      events: ["order.refunded", "invoice.paid", "fedex-order.changed", "balance.changed"],
      state: "failing",
      waiting: 14,
      nextTryAt: from(9.5),
      lastDeliveredAt: from(-60 * 3),
    },
    {
      ...usual,
      _id: idOf(3),
      url: "https://bot.example.net/in",
      note: "Discord bot of the night shift",
      events: ["fedex-order.created", "codes.low"],
      state: "paused",
      pausedBecause: "It could not be reached for three days",
      pausedByItself: true,
      pausedAt: from(-60 * 5),
      waiting: 1_000,
      lastDeliveredAt: null,
    },
  ];
};

const deliveries = (): [Delivery, ...Delivery[]] => {
  const delivery: Delivery = {
    _id: idOf(1),
    event: { id: idOf(9), type: "order.refunded", timestamp: from(-6) },
    customer: { _id: idOf(8), username: "harbour.prints" },
    state: "waiting",
    resentBy: null,
    tries: 6,
    status: 502,
    problem: "",
    duration: 1_840,
    nextTryAt: from(9.5),
    createdAt: from(-6),
  };
  const done = { state: "delivered", tries: 1, status: 204, duration: 85, nextTryAt: null } as const;
  return [
    delivery,
    {
      ...delivery,
      _id: idOf(2),
      event: { ...delivery.event, type: "balance.changed" },
      ...{ tries: 0, status: null, duration: null, nextTryAt: null },
    },
    {
      ...delivery,
      _id: idOf(3),
      event: { ...delivery.event, type: "codes.low", timestamp: from(-30) },
      customer: null,
      ...{ tries: 3, status: null, problem: "No answer within 15 seconds", duration: 15_000 },
    },
    { ...delivery, ...done, _id: idOf(4), event: { ...delivery.event, type: "test" }, customer: null },
    {
      ...delivery,
      ...done,
      _id: idOf(5),
      event: { ...delivery.event, type: "fedex-order.changed", timestamp: from(-200) },
      resentBy: "night-shift",
    },
    {
      ...delivery,
      _id: idOf(6),
      event: { ...delivery.event, type: "invoice.paid", timestamp: from(-60 * 24 * 4) },
      ...{ state: "failed", tries: 19, status: 410, problem: "", duration: 12, nextTryAt: null },
    },
  ];
};

const story = (): DeliveryStory => {
  const [delivery] = deliveries();
  const { id, type, timestamp } = delivery.event;
  const data = {
    customer: { _id: idOf(8), discordId: "418290000000000123", username: "harbour.prints" },
    order: {
      _id: idOf(7),
      uuid: idOf(7),
      price: 8.9,
      isRefunded: true,
      receiver: { name: "Maren Olsen", city: "Bergen" },
    },
    reason: "The carrier lost the parcel",
  };
  const answer = "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>nginx/1.27.2</body>\n</html>";
  return {
    delivery,
    request: {
      url: all()[1].url,
      headers: {
        "content-type": "application/json",
        "user-agent": "Footprint",
        "webhook-id": id,
        "webhook-timestamp": "1794867241",
        "webhook-signature":
          "v1,gTJ6Ti6Zr0wBRaYoAJ7Ub5v4VnVgzgDHAcsqRcW3UJ0= v1,nJyHh5ZpYbCqQkqgN0dN2T5S4lFQ3yLb9wq2mUO8m0c=",
      },
      body: JSON.stringify({ id, type, timestamp, data }),
    },
    tries: [
      { number: 1, at: from(-6), status: null, problem: "The connection was refused", duration: 3, answer: "" },
      { number: 2, at: from(-5.9), status: 502, problem: "", duration: 1_840, answer },
    ],
  };
};

/** Answers in the server's place. */
export async function answerWebhooks(page: Page) {
  const test = {
    message: "",
    delivery: { ...deliveries()[3], status: 422 },
    answer: '{"error":"unknown type \\"test\\""}',
  };
  const replies: Record<string, (of: string) => object> = {
    "": () => ({ webhooks: all() }),
    deliveries(of) {
      const webhook = all().find(({ _id }) => _id === of);
      const rows = deliveries();
      return { webhook, deliveries: rows, total: rows.length, totalPages: 1 };
    },
    delivery: story,
    test: () => test,
    rotate: () => ({ message: "", secret: shownSecret, webhook: { ...all()[0], oldSecretUntil: from(60 * 24) } }),
  };
  await page.route("**/api/v1/website/webhooks**", (route) => {
    const [, name = "", of = ""] = /webhooks\/?([\w-]*)\/?([\w-]*)/.exec(new URL(route.request().url()).pathname) ?? [];
    if (route.request().method() === "POST" && name === "")
      return route.fulfill({ status: 201, json: { message: "", secret: shownSecret, webhook: all()[0] } });
    return route.fulfill({ json: replies[name]?.(of) ?? {} });
  });
}

const shownSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
