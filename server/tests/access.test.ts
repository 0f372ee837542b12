import { type Endpoint, scopes } from "@footprint/contract/endpoint.ts";
import { website } from "@footprint/contract/website.ts";
import { expect, test } from "vitest";
import { features } from "../app.ts";
import { apiKeys } from "../db/schema.ts";
import { call, db, logRows } from "../testing/server.ts";

const calls: Endpoint[] = Object.values(features).flatMap(({ feature }) => Object.values(feature));
const named = (access: Endpoint["access"]) =>
  calls
    .filter((call) => call.access === access)
    .map(({ method, path, scope }) => `${method} ${path}${scope ? ` with ${scope.join(" or ")}` : ""}`)
    .sort();

/** Who may call what, pinned: a change of access has to be made here too. */
test("the access table", () => {
  expect(named("public")).toEqual(["GET /api/v1/website/image/:id", "POST /api/v1/auth/admin-login"]);
  expect(named("staff")).toEqual([
    "DELETE /api/v1/auth/sessions/:id",
    "DELETE /api/v1/views/:id",
    "GET /api/v1/admin/invoice/read",
    "GET /api/v1/admin/invoice/read/:id",
    "GET /api/v1/admin/orders/read",
    "GET /api/v1/admin/orders/read/:id",
    "GET /api/v1/admin/queues",
    "GET /api/v1/admin/search",
    "GET /api/v1/admin/transfers/read",
    "GET /api/v1/admin/user/read/:id",
    "GET /api/v1/admin/user/transfers/:id",
    "GET /api/v1/admin/users/read",
    "GET /api/v1/admin/users/readNew",
    "GET /api/v1/auth/admin-access",
    "GET /api/v1/auth/sessions",
    "GET /api/v1/auth/two-step",
    "GET /api/v1/fed/file/:id",
    "GET /api/v1/fed/read-stats",
    "GET /api/v1/fed/read/:id",
    "GET /api/v1/fed/readAllOrders",
    "GET /api/v1/labeltype/read",
    "GET /api/v1/labeltype/read/:id",
    "GET /api/v1/order/admin/read-bulk",
    "GET /api/v1/order/admin/read-bulk/:id",
    "GET /api/v1/views",
    "POST /admin/changePassword",
    "POST /api/v1/admin/invoice/markaspaid",
    "POST /api/v1/admin/orders/notes/:id",
    "POST /api/v1/admin/orders/refund",
    "POST /api/v1/admin/transfer/reverse/:id",
    "POST /api/v1/admin/user/custom-pricing/delete/:id",
    "POST /api/v1/admin/users/add-balance/:id",
    "POST /api/v1/admin/users/verify",
    "POST /api/v1/admin/users/verify/:id",
    "POST /api/v1/auth/logout",
    "POST /api/v1/auth/two-step/begin",
    "POST /api/v1/auth/two-step/confirm",
    "POST /api/v1/auth/two-step/disable",
    "POST /api/v1/auth/two-step/recovery-codes",
    "POST /api/v1/fed/charge/:id",
    "POST /api/v1/fed/claim/:id",
    "POST /api/v1/fed/release/:id",
    "POST /api/v1/fed/updateOrder/:id",
    "POST /api/v1/views",
    "PUT /api/v1/admin/invoice/markaspaid/:id",
    "PUT /api/v1/admin/orders/refund/:id",
    "PUT /api/v1/admin/user/custom-pricing/:id",
    "PUT /api/v1/admin/user/custom-pricing/enable/:id",
    "PUT /api/v1/admin/user/status",
    "PUT /api/v1/admin/user/status/:id",
    "PUT /api/v1/views/:id",
  ]);
  expect(named("admin")).toEqual([
    "DELETE /api/v1/admin/staff/delete/:id",
    "DELETE /api/v1/tracking/delete/:id",
    "DELETE /api/v1/website/api-keys/:id",
    "GET /api/v1/admin/invoice/read/export",
    "GET /api/v1/admin/logs/read",
    "GET /api/v1/admin/logs/read/:id",
    "GET /api/v1/admin/logs/read/export",
    "GET /api/v1/admin/orders/read/export",
    "GET /api/v1/admin/staff/read",
    "GET /api/v1/admin/staff/read/export",
    "GET /api/v1/admin/transfers/read/export",
    "GET /api/v1/admin/user/transfers/:id/export",
    "GET /api/v1/admin/users/read/export",
    "GET /api/v1/admin/users/readNew/export",
    "GET /api/v1/dashboard/books",
    "GET /api/v1/dashboard/charts",
    "GET /api/v1/dashboard/deposit-stats",
    "GET /api/v1/dashboard/orders-stats",
    "GET /api/v1/dashboard/owed",
    "GET /api/v1/dashboard/revenue-graph",
    "GET /api/v1/dashboard/revenue-stats",
    "GET /api/v1/dashboard/users",
    "GET /api/v1/fed/readAllOrders/export",
    "GET /api/v1/labeltype/read/export",
    "GET /api/v1/order/admin/read-bulk/export",
    "GET /api/v1/tracking/read",
    "GET /api/v1/tracking/read/export",
    "GET /api/v1/tracking/stats",
    "GET /api/v1/website/api-keys",
    "GET /api/v1/website/get-cashapp",
    "GET /api/v1/website/limits",
    "POST /api/v1/admin/invoice/read/export",
    "POST /api/v1/admin/orders/read/export",
    "POST /api/v1/admin/staff/create",
    "POST /api/v1/admin/users/read/export",
    "POST /api/v1/admin/users/readNew/export",
    "POST /api/v1/labeltype/addweight/:id",
    "POST /api/v1/labeltype/create",
    "POST /api/v1/labeltype/deleteWeight/:id",
    "POST /api/v1/labeltype/update/:id",
    "POST /api/v1/tracking/create",
    "POST /api/v1/tracking/delete",
    "POST /api/v1/tracking/delete-range",
    "POST /api/v1/tracking/read/export",
    "POST /api/v1/website/api-keys",
    "PUT /api/v1/admin/staff/reset-two-step/:id",
    "PUT /api/v1/admin/staff/update/:id",
    "PUT /api/v1/labeltype/enableDisableLabelType/:id",
    "PUT /api/v1/labeltype/updateWeight/:id",
    "PUT /api/v1/website/api-keys/:id",
    "PUT /api/v1/website/limits",
    "PUT /api/v1/website/update-cashapp",
  ]);
  expect(named("storefront")).toEqual([
    "GET /api/v1/storefront/customers/:discordId",
    "GET /api/v1/storefront/customers/:discordId/transfers",
    "GET /api/v1/storefront/fedex-orders/:id with orders",
    "GET /api/v1/storefront/fedex-orders/:id/file with orders",
    "GET /api/v1/storefront/label-types with orders",
    "GET /api/v1/storefront/orders/:id with orders",
    "GET /api/v1/storefront/payment-settings",
    "POST /api/v1/storefront/bulk-orders with orders",
    "POST /api/v1/storefront/fedex-orders with orders",
    "POST /api/v1/storefront/invoices with deposits",
    "POST /api/v1/storefront/orders with orders",
    "POST /api/v1/storefront/quotes with orders",
    "PUT /api/v1/storefront/customers/:discordId with customers",
    "PUT /api/v1/storefront/invoices/:id/status with deposits or mark-as-paid",
  ]);
});

// The input is nonsense on purpose: access is checked before anything is read.
const nonsense = { params: { id: "nonsense", discordId: "nonsense" }, query: { page: "nonsense" }, body: undefined };

test.for(calls.filter((call) => call.access !== "public"))("$method $path without a token is 401", async (endpoint) => {
  const answer = await call("nobody", endpoint, nonsense as never);
  expect([answer.status, Object.keys(answer.body)]).toEqual([401, ["message"]]);
});

test.for(calls.filter((call) => call.access === "admin"))("$method $path by staff is 403", async (endpoint) => {
  const answer = await call("staff", endpoint, nonsense as never);
  expect([answer.status, answer.body]).toEqual([403, { message: "Only administrators may do this" }]);
  expect(await logRows()).toEqual([]);
});

test("a key with another scope is 403 before anything is read", async () => {
  for (const endpoint of calls.filter(({ scope }) => scope)) {
    const others = scopes.filter((scope) => !endpoint.scope?.includes(scope));
    const name = `Not for ${endpoint.method} ${endpoint.path}`.slice(0, 64);
    const { key } = (await call("admin", website.createApiKey, { body: { name, scopes: others } })).body;
    const answer = await call({ token: key }, endpoint, nonsense as never);
    const message = `This API key does not have the scope ${endpoint.scope?.join(" or ")}`;
    expect([answer.status, answer.body], name).toEqual([403, { message }]);
    await db.delete(apiKeys);
  }
});
