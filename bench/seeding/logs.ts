import { idAt, later, literal, pick } from "./chance.ts";
import { operators, type Plan, shop } from "./trade.ts";

/** One kind of log rows, in SQL. */
type Entry = {
  /** The rows that it is written about, each with its moment `at`. */
  from: string;
  /** What tells these rows apart. */
  row: string;
  admin: string;
  type: string;
  action: string;
  before?: string;
  after?: string;
};

/** What the running product would have written about all that was drawn, oldest first. */
export const addLogs = (plan: Plan) => `
  insert into logs (id, type, admin, action, before, after, created_at)
  select * from (${entries(plan).map(selectOf).join("\n    union all")}
  ) entries order by at;`;

const selectOf = ({ from, row, admin, type, action, before, after }: Entry, place: number) => `
    select ${idAt("at", row, `log ${place}`)} as id, ${literal(type)}, ${admin}, ${action},
      ${json(before)}, ${json(after)}, at
    from ${from}`;

const json = (pairs: string | undefined) => (pairs ? `jsonb_build_object(${pairs})` : "null::jsonb");
/** "$1,234.50" */
const dollars = (cents: string) => `to_char((${cents}) * 0.01, 'FM"$"999,999,990.00')`;
/** As data: without needless zeros. */
const amount = (cents: string) => `trim_scale((${cents}) * 0.01)`;
/** "0–5 lb at $4.20" */
const tier = (cents: string) =>
  `"from" || '–' || "to" || case when name like '%First Class%' then ' oz' else ' lb' end
    || ' at ' || ${dollars(cents)}`;
const tierPairs = (cents: string) => `'fromWeight', "from", 'toWeight', "to", 'price', ${amount(cents)}`;
const balanceBefore = `'balance', ${amount("balance - cents")}`;
const balanceAfter = `'balance', ${amount("balance")}`;
const movements = (kind: string) => `movements join buyers on number = buyer where kind = ${literal(kind)}`;
const byOperator = (row: string, word: string) => pick(operators, row, word);
const byShop = literal(shop);

const entries = ({ now }: Plan): Entry[] => [
  {
    from: movements("purchase"),
    row: "n",
    admin: "actor",
    type: "balance",
    action: `'Sold ' || case when size is null then 'order ' || uuid else 'bulk order ' || uuid || ' of ' || size end
      || ' (' || ${dollars("-cents")} || ') to ' || username`,
    before: balanceBefore,
    after: balanceAfter,
  },
  {
    from: movements("refund"),
    row: "n",
    admin: "actor",
    type: "refund",
    action: `'Refunded order ' || uuid || ' (' || ${dollars("cents")} || ') to ' || username`,
    before: `'isRefunded', false, ${balanceBefore}`,
    after: `'isRefunded', true, ${balanceAfter}`,
  },
  {
    from: movements("deposit"),
    row: "n",
    admin: "actor",
    type: "invoice",
    action: `'Marked invoice ' || reference || ' (' || ${dollars("cents")} || ') of ' || username || ' as paid'`,
    before: `'status', 'pending', ${balanceBefore}`,
    after: `'status', 'paid', ${balanceAfter}`,
  },
  {
    from: "(select *, created_at as at from deposits) invoice join buyers on number = buyer",
    row: "n",
    admin: byShop,
    type: "invoice",
    action: `'Opened invoice ' || invoice.id || ' (' || ${dollars("cents")} || ') for ' || username`,
  },
  {
    from: `(select *, ${later("created_at", [60, 1440], now, "n", "end")} as at
      from deposits where status in ('expired', 'failed')) ended`,
    row: "n",
    admin: byShop,
    type: "invoice",
    action: "'Set invoice ' || id || ' to ' || status",
    before: "'status', 'pending'",
    after: "'status', status",
  },
  {
    from: "parcels",
    row: "n",
    admin: byShop,
    type: "fedex",
    action: "'Added Fedex order ' || uuid || ' of ' || username",
  },
  {
    from: `(select n, uuid, status, note, cents, ${later("at", [60, 1800], now, "n", "update")} as at
      from parcels where status <> 'Pending') updated`,
    row: "n",
    admin: byOperator("n", "updated by"),
    type: "fedex",
    action: `'Updated Fedex order ' || uuid || ': status Pending to ' || status || ', note changed, price none to '
      || ${dollars("cents")}`,
    before: "'status', 'Pending', 'note', '', 'price', null",
    after: `'status', status, 'note', note, 'price', ${amount("cents")}`,
  },
  {
    from: "(select *, created_at as at from buyers) joined",
    row: "number",
    admin: byShop,
    type: "user",
    action: "'Added customer ' || username",
    after: "'username', username, 'email', email",
  },
  {
    from: "(select *, verified_at as at from buyers where verified_at is not null) verified",
    row: "number",
    admin: byOperator("number", "verified by"),
    type: "user",
    action: "'Verified customer ' || username",
    before: "'isVerified', false",
    after: "'isVerified', true",
  },
  {
    from: `(select *, ${later("created_at", [600, 14_400], now, "number", "trial")} as at
      from buyers where not active) disabled`,
    row: "number",
    admin: byOperator("number", "disabled by"),
    type: "user",
    action: "'Disabled customer ' || username",
    before: "'status', true",
    after: "'status', false",
  },
  {
    from: "(select *, own_since as at from buyers where own_type is not null) enabled",
    row: "number",
    admin: byOperator("number", "priced by"),
    type: "pricing",
    action: "'Enabled custom pricing for ' || username",
    before: "'customPricingEnabled', false",
    after: "'customPricingEnabled', true",
  },
  {
    from: `(select buyers.*, own_since as at, "from", "to", own_cents, name, buyers.number * 100 + offers.place as row
      from buyers join offers on type = own_type and place < own_tiers join types on types.place = type) own`,
    row: "row",
    admin: byOperator("number", "priced by"),
    type: "pricing",
    action: `'Added a custom price for ' || username || ': ' || name || ', ' || ${tier("own_cents")}`,
    after: `'labelType', name, ${tierPairs("own_cents")}`,
  },
  {
    from: "(select *, created_at as at from types) created",
    row: "place",
    admin: "'admin'",
    type: "label",
    action: "'Created label type ' || name",
    after: `'name', name, 'uid', uid, 'maxWeight', "maxWeight", 'type', kind`,
  },
  {
    from: "(select *, created_at + interval '1 hour' as at from types where not active) disabled",
    row: "place",
    admin: "'admin'",
    type: "label",
    action: "'Disabled label type ' || name",
    before: "'status', true",
    after: "'status', false",
  },
  {
    from: "(select offers.*, name, offers.created_at as at from offers join types on types.place = type) added",
    row: "number",
    admin: "'admin'",
    type: "pricing",
    action: `'Added a price for ' || name || ': ' || ${tier("cents")}`,
    after: tierPairs("cents"),
  },
  {
    from: `(select type, template, created_at as at, count(*) as amount, min(code) as first, max(code) as last
      from tracking_codes group by type, template, created_at) registered`,
    row: "hashtextextended(first, 0)",
    admin: "'admin'",
    type: "tracking",
    action: `'Registered ' || case amount when 1 then type || ' code ' || first
      else to_char(amount, 'FM999,999,990') || ' ' || type || ' codes from ' || first || ' to ' || last end`,
    after: "'amount', amount, 'type', type, 'template', template, 'first', first, 'last', last",
  },
];
