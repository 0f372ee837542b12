import type { FedexOrder } from "@footprint/contract/fedex.ts";

const plain = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

const idsOf = ({ _id, uuid }: FedexOrder) => [plain(uuid), plain(_id)];

/** What a file may be called after an order; what says more comes first. */
const ways: ((order: FedexOrder) => string[])[] = [
  idsOf,
  // As the panel shows it: 6400a5…1f8204
  (order) => idsOf(order).map((id) => id.slice(0, 6) + id.slice(-6)),
  (order) => idsOf(order).map((id) => id.slice(-6)),
  ({ to }) => [plain(to.name)],
  ({ from }) => [plain(from.name)],
];

/** Shorter names would be found in nearly every file's. */
const shortest = 3;

/** The order that a file is named after; none where it could be one of two. */
function orderNamedIn(filename: string, orders: readonly FedexOrder[]): FedexOrder | undefined {
  const name = plain(filename.replace(/\.[^.]*$/, ""));
  for (const namesOf of ways) {
    const found = orders.filter((order) =>
      namesOf(order).some((wanted) => wanted.length >= shortest && name.includes(wanted)),
    );
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

/** Which file belongs to which order, by id; where two files are named after one order, the first gets it. */
export function matchFiles(files: readonly File[], orders: readonly FedexOrder[]): (string | undefined)[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const id = orderNamedIn(file.name, orders)?._id;
    if (!id || taken.has(id)) return undefined;
    taken.add(id);
    return id;
  });
}
