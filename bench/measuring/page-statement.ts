import { desc, eq, sql } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/pg-core";
import { customers, labelTypes, orders } from "../../server/db/schema.ts";
import type { Statement } from "./record.ts";

const page = new QueryBuilder({ casing: "snake_case" })
  .select({
    order: orders,
    user: { username: customers.username, balanceCents: customers.balanceCents },
    labelType: { name: labelTypes.name },
  })
  .from(orders)
  .innerJoin(customers, eq(customers.id, orders.customerId))
  .innerJoin(labelTypes, eq(labelTypes.id, orders.labelTypeId))
  .where(sql`${orders.id} = any(array(select id from orders order by created_at desc, id desc limit ${10}))`)
  .orderBy(desc(orders.createdAt), desc(orders.id))
  .toSQL();

/** Every reading call is compared with this: the ten newest orders, without session and total. */
export const pageStatement: Statement = { text: page.sql, values: page.params };
