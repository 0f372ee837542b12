import { expect, test } from "vitest";
import { Shared } from "./shared.ts";

/** Work that ends when the test says so. */
function works() {
  const begun: PromiseWithResolvers<string>[] = [];
  const work = () => {
    const one = Promise.withResolvers<string>();
    begun.push(one);
    return one.promise;
  };
  return { begun, work };
}

test("those who ask meanwhile share the next answer, and none is given one that was begun before they asked", async () => {
  const shared = new Shared((work: () => Promise<string>) => work());
  const { begun, work } = works();
  const first = shared.do("the same", work).done;
  const meanwhile = [shared.do("the same", work).done, shared.do("the same", work).done];
  const other = shared.do("something else", work).done;
  expect(begun).toHaveLength(2);
  begun[1]?.resolve("else");
  begun[0]?.resolve("one");
  expect(await Promise.all([first, other])).toEqual(["one", "else"]);

  const later = shared.do("the same", work).done;
  expect(begun).toHaveLength(3);
  begun[2]?.resolve("two");
  expect(await Promise.all(meanwhile)).toEqual(["two", "two"]);
  begun[3]?.resolve("three");
  expect(await later).toBe("three");

  const alone = shared.do("the same", work).done;
  expect(begun).toHaveLength(5);
  begun[4]?.resolve("four");
  expect(await alone).toBe("four");
});

test("who comes while something fails asks anew", async () => {
  const shared = new Shared((work: () => Promise<string>) => work());
  const { begun, work } = works();
  const first = shared.do("the same", work).done;
  const next = shared.do("the same", work).done;
  begun[0]?.reject(new Error("it broke"));
  await expect(first).rejects.toThrow("it broke");
  begun[1]?.resolve("well");
  expect(await next).toBe("well");
});
