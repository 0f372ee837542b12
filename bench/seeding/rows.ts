import {
  cities,
  companies,
  fedexNotes,
  firstNames,
  lastNames,
  parcelNotes,
  streetKinds,
  streets,
} from "../../server/demo/words.ts";
import { below, chance, fraction, idAt, literal, moment, pick, randomId } from "./chance.ts";
import { buyersOn, codeOf, dayOf, momentOf, notDisabled, type Plan } from "./trade.ts";

export const addLabelTypes = () => `
  insert into label_types (id, name, uid, max_weight, kind, active, created_at)
  select id, name, uid, "maxWeight", kind, active, created_at from types;
  insert into price_tiers (id, label_type_id, from_weight, to_weight, price_cents, created_at)
  select ${idAt("created_at", "number", "tier")}, label_type_id, "from", "to", cents, created_at from offers;`;

export const addCustomers = () => `
  insert into customers
    (id, username, discord_id, email, balance_cents, active, custom_pricing_enabled, verified_at, created_at)
  select id, username, discord_id, email, coalesce(cents, 0), active, own_type is not null, verified_at, created_at
  from buyers left join (select buyer, sum(cents) as cents from movements group by buyer) sums on buyer = number
  order by number;
  insert into custom_prices (id, customer_id, label_type_id, from_weight, to_weight, price_cents, created_at)
  select ${idAt("own_since", "buyers.number * 100 + place", "own price")}, buyers.id, label_type_id, "from", "to",
    own_cents, own_since
  from buyers join offers on type = own_type and place < own_tiers;`;

/** The used ones were registered in a batch for each day, those left in batches of ten thousand. */
export const addTrackingCodes = ({ codesLeft, now }: Plan) => `
  insert into tracking_codes (id, code, type, template, used_at, created_at)
  select ${idAt("registered_at", "n", "code")}, tracking, code_type, template, at, registered_at
  from (select *, date_trunc('day', at) - interval '471 hours' as registered_at
        from sales join types using (code_type) offset 0) used
  order by n;
  insert into tracking_codes (id, code, type, template, created_at)
  select ${idAt("registered_at", "number", "code left")}, ${codeOf("number")}, code_type, template, registered_at
  from (select types.*, coalesce(used, 0) + added as number,
          ${moment(now)} - interval '120 hours' + (place * 60 + (added - 1) / 10000) * interval '1 minute'
            as registered_at
        from types
        left join (select code_type, count(*) as used from sales group by code_type) counts using (code_type)
        cross join generate_series(1, ${codesLeft}) as added
        where code_type is not null offset 0) unused
  order by number;`;

const parts = ["name", "street", "street2", "city", "state", "zip"];
const orderParts = [...parts, "company", "country"];
const columns = (wanted: string[]) =>
  ["from", "to"].flatMap((side) => wanted.map((part) => `${side}_${part}`)).join(", ");

/** Who sends to whom, as columns: a sender is more often a business. */
function addresses(row: string) {
  const side = (name: "from" | "to", business: number) => {
    const one = (choices: readonly string[], what: string) => pick(choices, row, `${name} ${what}`);
    const upTo = (most: number, what: string) => `1 + ${below(most, row, `${name} ${what}`)}`;
    const some = (share: number, what: string, value: string) =>
      `case when ${chance(share, row, `${name} has ${what}`)} then ${value} else '' end`;
    // The same word each time: city, state and zip code of one place.
    const place = (index: 0 | 1 | 2) => {
      const choices = cities.map((city) => city[index]);
      return one(choices, "place");
    };
    const fields = {
      name: `${one(firstNames, "first name")} || ' ' || ${one(lastNames, "last name")}`,
      company: some(business, "company", one(companies, "company")),
      street: `${upTo(4800, "house")} || ' ' || ${one(streets, "street")} || ' ' || ${one(streetKinds, "kind of street")}`,
      street2: some(0.2, "apartment", `'Apt ' || ${upTo(40, "apartment")}`),
      city: place(0),
      state: place(1),
      zip: `${place(2)} || lpad((${upTo(99, "zip")})::text, 2, '0')`,
      country: "'United States'",
    };
    return Object.entries(fields).map(([part, value]) => `${value} as ${name}_${part}`);
  };
  return [...side("from", 0.5), ...side("to", 0.15)].join(",\n      ");
}

export const addOrders = () => `
  insert into bulk_orders (id, uuid, customer_id, created_at)
  select reference, uuid, id, at
  from purchases join buyers on number = buyer where size is not null order by first;
  insert into orders (id, uuid, customer_id, label_type_id, bulk_order_id, price_cents, weight, tracking,
    refunded_at, created_at, ${columns(orderParts)})
  select id, uuid, customer_id, label_type_id, bulk_order_id, cents, weight, tracking,
    refunded_at, at, ${columns(orderParts)}
  from (
    select sales.*, buyers.id as customer_id,
      ${addresses("n")}
    from sales join buyers on number = buyer offset 0
  ) drawn;`;

/** Lately most are in work; of the earlier ones, few. */
const lately = ["Pending", "Pending", "Pending", "In Process", "Awaiting User Input", "Completed"];
const earlier = [
  ...Array<string>(14).fill("Completed"),
  ...Array<string>(3).fill("Cancelled"),
  "Awaiting User Input",
  "In Process",
  "Pending",
];

export const addFedexOrders = (plan: Plan) => `
  create temp table parcels on commit drop as
  select drawn.*, buyers.id as customer_id, username, ${idAt("at", "n", "fedex order")} as id,
    ${randomId("n", "fedex order")} as uuid,
    case when status <> 'Pending' then 1800 + ${below(22_200, "n", "quote")} end as cents,
    case status ${Object.entries(fedexNotes)
      .map(([status, notes]) => `when ${literal(status)} then ${pick(notes, "n", "note")}`)
      .join(" ")} end as note
  from (
    select n, at, ${notDisabled("customer")} as buyer,
      case when at > ${moment(plan.now)} - interval '144 hours' then ${pick(lately, "n", "status")}
        else ${pick(earlier, "n", "status")} end as status
    from (
      select n, ${momentOf(plan, "day")} as at,
        1 + floor(${buyersOn(plan, "day")} * ${fraction("n", "fedex customer")})::int as customer
      from (
        select n, ${dayOf("n", plan.fedexOrders, "fedex moment")} as day
        from generate_series(1, ${plan.fedexOrders}) as n offset 0
      ) days offset 0
    ) customers offset 0
  ) drawn join buyers on number = buyer
  order by n;
  insert into fedex_orders (id, uuid, customer_id, price_cents, status, note, weight, length, width, height,
    dimension_unit, weight_unit, special_notes, created_at, ${columns(parts)})
  select id, uuid, customer_id, cents, status, note,
    2 + ${below(59, "n", "weight")}, 6 + ${below(35, "n", "length")}, 4 + ${below(27, "n", "width")},
    2 + ${below(23, "n", "height")}, ${pick(["in", "in", "in", "in", "cm"], "n", "unit of length")},
    ${pick(["lb", "lb", "lb", "lb", "kg"], "n", "unit of weight")}, ${pick(parcelNotes, "n", "special notes")},
    at, ${columns(parts)}
  from (select *, ${addresses("n")} from parcels offset 0) drawn;`;

export const addInvoices = () => `
  insert into invoices (id, customer_id, amount_cents, payment_method, status, hosted_url, paid_at, created_at)
  select invoice.id, buyers.id, cents, method, status, 'https://pay.example/invoice/' || invoice.id, paid_at,
    invoice.created_at
  from deposits as invoice join buyers on number = buyer
  order by invoice.created_at;`;

export const addTransfers = () => `
  insert into transfers (id, customer_id, kind, amount_cents, balance_after_cents, reference, actor, created_at)
  select moved.id, buyers.id, kind, cents, balance, reference, actor, at
  from movements as moved join buyers on number = buyer
  order by at;`;
