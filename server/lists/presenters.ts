import { getTableColumns } from "drizzle-orm";
import type { fedexOrders, orders, transfers } from "../db/schema.ts";
import type { Columns } from "./list.ts";

type Acted = Pick<typeof transfers.$inferSelect, "actor" | "actorKind" | "actorId">;
export const presentAuthor = ({ actor, actorKind, actorId }: Acted) => ({
  username: actor,
  kind: actorKind,
  _id: actorId,
});

/** The export's columns for an order's addresses: `fromStreet2` has the heading "From street 2". */
export function addressColumns(table: typeof orders | typeof fedexOrders): Columns {
  const parts = Object.entries(getTableColumns(table)).filter(([name]) => /^(from|to)[A-Z]/.test(name));
  const heading = (name: string) => {
    const words = name.replace(/[A-Z]|\d/g, " $&").toLowerCase();
    return words.charAt(0).toUpperCase() + words.slice(1);
  };
  return Object.fromEntries(parts.map(([name, column]) => [heading(name), column]));
}
