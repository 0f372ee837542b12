import { readdirSync, readFileSync } from "node:fs";
import type { Endpoint, Input, Reply } from "@footprint/contract/endpoint.ts";
import type { outbox } from "@footprint/contract/outbox.ts";
import type { storefront } from "@footprint/contract/storefront.ts";
import { expect, expectTypeOf, test } from "vitest";
import { Footprint } from "./client.ts";
import { generate } from "./generate.ts";

test("the calls are what the contract makes of them; else run npm run client:generate", () => {
  expect(readFileSync(new URL("calls.ts", import.meta.url), "utf8")).toBe(generate());
});

test("every call that the contract opens to shops is a method of the client", async () => {
  const folder = new URL("../contract/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)));
  const features = modules.flatMap((module) => Object.values<Record<string, unknown>>(module));
  const isForShops = (call: unknown) => (call as Endpoint | null)?.access === "storefront";
  const names = features.flatMap((feature) =>
    Object.entries(feature ?? {}).flatMap(([name, call]) => (isForShops(call) ? [name] : [])),
  );
  expect(names.length).toBeGreaterThan(14);
  const footprint = new Footprint({ url: "http://localhost", key: "key" });
  expect(names.filter((name) => typeof footprint[name as keyof Footprint] !== "function")).toEqual([]);
});

type Contract = typeof storefront & Omit<typeof outbox, "pull">;
type Flat<E extends Endpoint> =
  Input<E> extends infer I ? Part<I, "params"> & Part<I, "query"> & Part<I, "body"> : never;
type Part<I, K extends string> = I extends { [P in K]: infer V } ? V : I extends { [P in K]?: infer V } ? V : unknown;
type Given<N extends keyof Contract> = NonNullable<Parameters<Footprint[N]>[0]>;
type Got<N extends keyof Contract> = Awaited<ReturnType<Footprint[N]>>;
type IsPart<A, B> = [A] extends [B] ? true : false;
type Wrong = {
  [N in keyof Contract]: Got<N> extends File
    ? never
    : [
          IsPart<Given<N>, Flat<Contract[N]>>,
          IsPart<keyof Flat<Contract[N]>, keyof Given<N>>,
          IsPart<Got<N>, Reply<Contract[N]>>,
          IsPart<Reply<Contract[N]>, Got<N>>,
        ] extends [true, true, true, true]
      ? never
      : N;
}[keyof Contract];

test("the client's types of every call equal those inferred from the contract", () => {
  expectTypeOf<Wrong>().toBeNever();
});
