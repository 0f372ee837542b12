const fields = ["name", "company", "street", "street2", "city", "state", "zip", "country"] as const;

/** An address of an order. Orders carry two of them in flat fields: `fromName`, `toName` and so on. */
export type Address = Record<(typeof fields)[number], string>;
/** The fields of an address that Fedex orders have. */
export type Party = Omit<Address, "company" | "country">;
type Side = "from" | "to";
type Flat<S extends Side, A> = { [F in keyof A & string as `${S}${Capitalize<F>}`]: A[F] };

/** The flat name of a field on one side of an order. */
export const flatName = (side: Side, field: keyof Address) => flatNames[side][field];

const namesOf = (side: Side) =>
  Object.fromEntries(fields.map((field) => [field, side + field.charAt(0).toUpperCase() + field.slice(1)])) as Address;
const flatNames = { from: namesOf("from"), to: namesOf("to") };

/** The fields of an address under their flat names. */
export function flatAddress<S extends Side, A extends Record<keyof Party, unknown>>(side: S, address: A) {
  const flat: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(address)) flat[flatName(side, field as keyof Address)] = value;
  return flat as Flat<S, A>;
}

/** The sender's or the receiver's address of an order. */
export function addressOf<A extends Party = Address>(order: Flat<Side, A>, side: Side) {
  const value = (field: keyof Address) => (order as Record<string, unknown>)[flatName(side, field)];
  return Object.fromEntries(fields.map((field) => [field, value(field)])) as unknown as A;
}
