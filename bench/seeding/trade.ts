import { catalogue } from "../../server/demo/catalogue.ts";
import { firstNames, handles, lastNames } from "../../server/demo/words.ts";
import { below, chance, fraction, idAt, later, literal, moment, pick, randomId } from "./chance.ts";

/** What a seeding is made from. */
export type Plan = {
  orders: number;
  customers: number;
  fedexOrders: number;
  /** Of each type, beside those that the orders used. */
  codesLeft: number;
  opened: Date;
  now: Date;
};

export const operators = ["admin", "support.day", "support.night"];
export const shop = "shop";

const days = 730;
const minute = 60_000;
/** Customers join from the first day on and buy from this one. */
const firstSale = 20;
/** One bulk order in so many orders, somewhere among them. */
const block = 100;

export function planOf(orders: number, now: Date): Plan {
  // The last sale is a minute old: what follows from it has happened too.
  const opened = new Date(now.getTime() - days * 24 * 60 * minute - minute);
  const customers = Math.max(100, Math.round(orders / 25));
  const fedexOrders = Math.ceil(orders / 40);
  const codesLeft = Math.min(50_000, Math.max(1_000, Math.round(orders / 20)));
  return { orders, customers, fedexOrders, codesLeft, opened, now };
}

const verified = ({ customers }: Plan) => customers - Math.ceil(customers / 100);

/** The day of the nth of so many: later days are busier. */
export const dayOf = (n: string, all: number, word: string) =>
  `${firstSale} + ${days - firstSale} * sqrt((${n} - ${fraction(n, word)}) / ${all})`;
export const momentOf = ({ opened }: Plan, day: string) => `${moment(opened)} + ${day} * interval '24 hours'`;
/** How many customers may buy on a day: those who joined before the last one, but for who is not verified. */
export const buyersOn = (plan: Plan, day: string) =>
  `least(${verified(plan)}, floor(${plan.customers} * (${day} - 1) / ${days}))`;
/** Every so many customers one is disabled, who never bought: whoever stands before them did. */
const disabledEvery = 33;
export const notDisabled = (number: string) => `${number} - (${number} % ${disabledEvery} = 0)::int`;

/** The catalogue as tables: its label types, and an offer for each of their tiers. */
export function drawCatalogue({ opened }: Plan) {
  const types = catalogue.map(({ tiers: _, codes, ...type }, place) => ({
    ...type,
    place,
    code_type: codes?.type ?? null,
    template: codes ? templates[codes.type] : null,
    prefix: codes?.prefix ?? "",
    prefix_sum: prefixSum(codes?.prefix ?? ""),
  }));
  const offers = catalogue.flatMap(({ tiers }, type) =>
    tiers.map(([from, to, cents], place) => ({ type, place, from, to, cents })),
  );
  return `
    create temp table types on commit drop as
    select ${idAt("created_at", "place", "label type")} as id, drawn.*
    from (select *, ${moment(opened)} - interval '48 hours' + place * interval '1 hour' as created_at
          from jsonb_to_recordset(${literal(JSON.stringify(types))}) as type (place int, name text, uid text, kind text,
            "maxWeight" numeric, active boolean, code_type text, template text, prefix text, prefix_sum int)) drawn;

    create temp table offers on commit drop as
    select row_number() over (order by type, offer.place)::int as number, offer.*, round(cents * 0.9)::int as own_cents,
      types.id as label_type_id, types.created_at
    from jsonb_to_recordset(${literal(JSON.stringify(offers))})
      as offer (type int, place int, "from" int, "to" int, cents int)
    join types on types.place = type;`;
}

const templates = { priority: "evs", express: "pitney", ground_oz: "indica", ground_lbs: "evs" } as const;

/** About a thousand offers' numbers, each as often as it is bought: light parcels more than heavy ones. */
function demand(): number[] {
  let number = 0;
  return catalogue.flatMap(({ share, tiers }) => {
    const weights = tiers.map((_, place) => 1 / (place + 1));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.flatMap((weight) => Array<number>(Math.round((share * 10 * weight) / sum)).fill(++number));
  });
}

/** Customers join evenly over the time; the newest wait for verification. */
export function drawBuyers(plan: Plan) {
  const name = (letters: string) => `lower(${pick(firstNames, "number", "first name")}) || ${letters} || number`;
  return `
    create temp table buyers on commit drop as
    select *, ${idAt("created_at", "number", "customer")} as id,
      -- Chat ids carry their moment too.
      ((((date_part('epoch', created_at) - 1420070400) * 1000)::bigint << 22)
        + ${below(4_194_304, "number", "chat id")})::text as discord_id,
      case when ${chance(0.8, "number", "has email")}
        then translate(username, '._', '') || '@' || ${pick(["inbox", "post", "mail"], "number", "mailbox")} || '.example'
        else '' end as email,
      case when number <= ${verified(plan)}
        then ${later("created_at", [5, 600], plan.now, "number", "verified")} end as verified_at,
      number % ${disabledEvery} <> 0 as active,
      case when number <= ${verified(plan)} and ${chance(0.02, "number", "own prices")}
        then ${pick(forSale, "number", "own type")} end as own_type,
      created_at + interval '12 hours' as own_since, 1 + ${below(3, "number", "own tiers")} as own_tiers
    from (
      select number, case ${below(3, "number", "kind of name")}
          when 0 then ${name(`'.' || lower(left(${pick(lastNames, "number", "last name")}, 1))`)}
          when 1 then ${name("''")}
          else ${pick(handles, "number", "handle")} || '_' || ${pick(handles, "number", "second handle")} || number
        end as username,
        ${momentOf(plan, `(number - ${fraction("number", "joined")}) * ${days} / ${plan.customers}`)} as created_at
      from generate_series(1, ${plan.customers}) as number
      offset 0
    ) drawn;
    analyze buyers;`;
}

/** The places of label types that are for sale. */
const forSale = catalogue.flatMap(({ active }, place) => (active ? [place] : []));

/**
 * One row per order, in the order they were sold; those of a bulk order share moment and customer of the first.
 * The longer someone is a customer, the more they buy.
 */
export function drawSales(plan: Plan) {
  const slots = demand();
  // OFFSET 0 keeps each step's values from being worked out again wherever a later one uses them.
  return `
    create temp table sales on commit drop as
    with blocks as (
      select n, (n - 1) / ${block} as block from generate_series(1, ${plan.orders}::bigint) as n offset 0
    ), bulks as (
      select n, block * ${block} + 1 + ${below(block - 20, "block", "place of bulk order")} as start,
        5 + ${below(16, "block", "size of bulk order")} as size
      from blocks offset 0
    ), purchases as (
      select n, case when is_bulk then start else n end as first, case when is_bulk then size end as size
      from (select *, n >= start and n < start + size and start + size - 1 <= ${plan.orders} as is_bulk from bulks) sized
      offset 0
    ), days as (
      select *, ${dayOf("first", plan.orders, "moment")} as day from purchases offset 0
    ), sold as (
      select n, first, size, ${momentOf(plan, "day")} as at,
        1 + floor(${buyersOn(plan, "day")} * ${fraction("first", "buyer")} ^ 2)::int as customer,
        (array[${slots.join(",")}])[1 + ${below(slots.length, "n", "offer")}] as offer
      from days offset 0
    ), priced as (
      select n, first, size, at, buyer, label_type_id, code_type, prefix, prefix_sum,
        ("from" * 10 + 1 + ${below(`(("to" - "from") * 10)`, "n", "weight")}) * 0.1 as weight,
        case when own_type = type and offers.place < own_tiers then own_cents else cents end as cents
      from (select *, ${notDisabled("customer")} as buyer from sold) sold
      join buyers on buyers.number = buyer
      join offers on offers.number = offer
      join types on types.place = type
      offset 0
    ), numbered as (
      select *, case code_type ${catalogue
        .flatMap(({ codes }) => codes ?? [])
        .map(({ type }) => `when '${type}' then count(*) filter (where code_type = '${type}') over so_far`)
        .join(" ")} end as code_number
      from priced window so_far as (order by n rows unbounded preceding) offset 0
    )
    select n, first, size, at, buyer, label_type_id, code_type, weight, cents,
      ${idAt("at", "n", "order")} as id, ${randomId("n", "order")} as uuid,
      case when size is not null then ${idAt("at", "first", "bulk order")} end as bulk_order_id,
      case when code_type is null then '1Z' || upper(substr(md5(n::text), 1, 16)) else ${codeOf("code_number")} end
        as tracking,
      case when ${chance(0.03, "n", "refunded")} then ${later("at", [60, 4320], plan.now, "n", "refund")} end as refunded_at
    from numbered;
    analyze sales;`;
}

/** The carrier's mod-10 weights digits by 3, 1, 3, 1 … from the right; ten digits stand right of a prefix. */
const weightAt = (place: number) => (place % 2 === 0 ? 3 : 1);
const prefixSum = (prefix: string) =>
  [...prefix].reverse().reduce((sum, digit, place) => sum + Number(digit) * weightAt(place), 0);

/** Of a row with its prefix: eleven digits, a number of ten, and the check digit. */
export function codeOf(number: string) {
  const digits = Array.from({ length: 10 }, (_, place) => `${number} / ${10 ** place} % 10 * ${weightAt(place)}`);
  return `prefix || lpad((${number})::text, 10, '0') || (10 - (prefix_sum + ${digits.join(" + ")}) % 10) % 10`;
}
