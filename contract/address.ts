/** An address of an order. Orders carry two of them in flat fields: `fromName`, `toName` and so on. */
export type Address = {
  name: string;
  company: string;
  street: string;
  street2: string;
  city: string;
  state: string;
  zip: string;
  country: string;
};
type Side = "from" | "to";
type Flat<S extends Side, A> = { [F in keyof A & string as `${S}${Capitalize<F>}`]: A[F] };

const flatName = (side: Side, field: string) => side + field.charAt(0).toUpperCase() + field.slice(1);

/** The fields of an address under their flat names. */
export const flatAddress = <S extends Side, A extends Record<keyof Address, unknown>>(side: S, address: A) =>
  Object.fromEntries(Object.entries(address).map(([field, value]) => [flatName(side, field), value])) as Flat<S, A>;

const fields = ["name", "company", "street", "street2", "city", "state", "zip", "country"] as const;

/** One of the two addresses of an order. */
export const addressOf = (order: Flat<Side, Address>, side: Side) =>
  Object.fromEntries(fields.map((field) => [field, order[flatName(side, field) as keyof typeof order]])) as Address;
