import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { expect, test } from "vitest";
import { features } from "./app.ts";
import { call, logRows } from "./testing/house.ts";

const calls: Endpoint[] = Object.values(features).flatMap(({ feature }) => Object.values(feature));
const named = (access: Endpoint["access"]) =>
  calls.filter((call) => call.access === access).map((call) => `${call.method} ${call.path}`);

/** Who may call what, pinned: a change of access has to be made here too. */
test("the access table", () => {
  expect(named("public")).toEqual(["POST /api/v1/auth/admin-login"]);
  expect(named("staff")).toEqual([
    "GET /api/v1/auth/admin-access",
    "POST /api/v1/auth/logout",
    "POST /admin/changePassword",
  ]);
  expect(named("admin")).toEqual([
    "GET /api/v1/admin/staff/read",
    "POST /api/v1/admin/staff/create",
    "PUT /api/v1/admin/staff/update/:id",
    "DELETE /api/v1/admin/staff/delete/:id",
  ]);
  expect(named("storefront")).toEqual([]);
});

// The input is nonsense on purpose: access is checked before anything is read.
const nonsense = { params: { id: "nonsense" }, query: { page: "nonsense" }, body: undefined };

test.for(calls.filter((call) => call.access !== "public"))("$method $path without a token is 401", async (endpoint) => {
  const answer = await call("nobody", endpoint, nonsense as never);
  expect([answer.status, Object.keys(answer.body)]).toEqual([401, ["message"]]);
});

test.for(calls.filter((call) => call.access === "admin"))("$method $path by staff is 403", async (endpoint) => {
  const answer = await call("staff", endpoint, nonsense as never);
  expect([answer.status, answer.body]).toEqual([403, { message: "Only administrators may do this" }]);
  expect(await logRows()).toEqual([]);
});
