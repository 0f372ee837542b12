import { dashboard } from "@footprint/contract/dashboard.ts";
import { session } from "@footprint/contract/session.ts";
import { storefront } from "@footprint/contract/storefront.ts";
import { users } from "@footprint/contract/users.ts";
import { webhooks } from "@footprint/contract/webhooks.ts";
import { website } from "@footprint/contract/website.ts";
import { expect, test, vi } from "vitest";
import { someAddresses } from "../testing/add.ts";
import { migratedPostgres, openShop, putDatabase } from "../testing/program.ts";
import { receiver } from "../testing/receiver.ts";

type Value = { stringValue?: string; intValue?: number | string };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code: number };
  attributes: { key: string; value: Value }[];
};
type Sent = {
  resourceSpans: { resource: { attributes: Span["attributes"] }; scopeSpans: { spans: Span[] }[] }[];
};

const told = ({ attributes }: { attributes: Span["attributes"] }, key: string) => {
  const { stringValue, intValue } = attributes.find((attribute) => attribute.key === key)?.value ?? {};
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue));
};

/** Generous for a busy machine: only what never comes is given up. */
const patience = { timeout: 240_000, interval: 250 };
const parcel = { discordId: "1", labelType: "none", weight: 1, fromCountry: "US", toCountry: "US" };
const caller = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" };

test.each([
  ["PostgreSQL", migratedPostgres],
  ["the embedded engine", putDatabase],
])("calls are traced from their callers to their statements, on %s", { timeout: 600_000 }, async (_, database) => {
  const collector = await receiver((response) => response.end("{}"));
  const shop = await receiver();
  const server = await openShop({
    ...(await database()),
    ...{ DEMO: "off", WEBHOOK_PRIVATE: "on", OTEL_SERVICE_NAME: "labels" },
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace("/hooks", ""),
  });
  const { webhook } = await server.call(webhooks.create, { body: { url: `${shop.url}?token=secret-of-the-shop` } });
  await server.call(webhooks.test, { params: { id: webhook._id } });
  await server.call(users.list, { query: { search: "somebody" } });
  const named = await fetch(`${server.origin()}${dashboard.attention.path}?who=somebody`, {
    headers: { traceparent: `00-${caller.trace}-${caller.span}-01` },
  });
  expect(named.status).toBe(401);
  const { key } = await server.call(website.createApiKey, { body: { name: "Main shop" } });
  const order = (place: number) =>
    fetch(`${server.origin()}${storefront.createOrder.path}`, {
      method: storefront.createOrder.method,
      headers: {
        ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
        "idempotency-key": `traced-${place}`,
      },
      body: JSON.stringify({ ...someAddresses, ...parcel }),
    });
  await order(0);
  await Promise.all(Array.from({ length: 12 }, (_, place) => order(place + 1)));
  // Unsent spans are sent before the program ends.
  server.child.kill("SIGTERM");
  expect(await server.exit).toBe(0);

  const sent = collector.received.flatMap(({ body }) => (JSON.parse(body) as Sent).resourceSpans);
  expect(new Set(sent.map(({ resource }) => told(resource, "service.name")))).toEqual(new Set(["labels"]));
  const spans = sent.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const find = ({ method, path }: { method: string; path: string }) =>
    spans.find(({ name }) => name === `${method} ${path}`) as Span;
  const childrenOf = ({ spanId, traceId }: Span) =>
    spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);

  const listed = find(users.list);
  expect(listed.parentSpanId).toBeFalsy();
  expect(told(listed, "http.route")).toBe(users.list.path);
  expect(told(listed, "http.response.status_code")).toBe(200);
  expect(told(listed, "footprint.request_id")).toMatch(/^[\da-f-]{36}$/);
  const statements = childrenOf(listed).map((span) => told(span, "db.query.text"));
  expect(statements).toContainEqual(expect.stringMatching(/from "?customers/));

  // Its statements come after its body, which belongs to no call while it is received.
  const signedIn = childrenOf(find(session.login)).map(({ name }) => name);
  expect(signedIn).toContain("insert sessions");

  // Orders made together have their statements in one of their own calls, not in the first call ever.
  const orders = spans.filter(({ name }) => name.endsWith(storefront.createOrder.path));
  expect(orders.map((span) => told(span, "http.response.status_code"))).toEqual(Array(13).fill(404));
  const isClaim = (span: Span) => String(told(span, "db.query.text")).includes("advisory_xact_lock(7402");
  const claiming = orders.filter((span) => childrenOf(span).some(isClaim));
  expect(claiming.length).toBeGreaterThan(1);

  const refused = find(dashboard.attention);
  expect([refused.traceId, refused.parentSpanId]).toEqual([caller.trace, caller.span]);
  expect(told(refused, "http.response.status_code")).toBe(401);

  const [tested] = childrenOf(find(webhooks.test)).filter(({ name }) => name === "webhook");
  expect(shop.received[0]?.headers.traceparent).toBe(`00-${tested?.traceId}-${tested?.spanId}-01`);
  expect(told(tested as Span, "http.response.status_code")).toBe(200);

  const all = JSON.stringify(sent);
  for (const secret of ["somebody", "secret-of-the-shop", "open sesame", 'admin"']) expect(all).not.toContain(secret);
});

test("a receiver of traces that fails, is silent or is down harms nothing", { timeout: 600_000 }, async () => {
  const collector = await receiver((response) => response.writeHead(500).end());
  const server = await openShop({
    ...(await migratedPostgres()),
    ...{ DEMO: "off", LOG_LEVEL: "error", OTEL_TRACES_SAMPLER: "always_on" },
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace("/hooks", ""),
  });
  await vi.waitFor(() => expect(server.output()).toContain("traces cannot be sent"), patience);
  collector.answerWith(() => {});
  await server.call(users.list);
  await collector.close();
  await server.call(users.list);
  server.child.kill("SIGTERM");
  expect(await server.exit).toBe(0);
  expect(server.output().match(/traces cannot be sent/g)).toHaveLength(1);
});
