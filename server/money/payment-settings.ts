import { pathOf } from "@footprint/contract/endpoint.ts";
import { website } from "@footprint/contract/website.ts";
import type { Database } from "../db/database.ts";
import { settings } from "../db/schema.ts";

/** The payment app's handle and where its QR image lies, for the panel and for shops. */
export async function readCashapp(db: Database) {
  const [current] = await db.select().from(settings);
  const image = current?.imageFileId ? pathOf(website.image, { id: current.imageFileId }) : null;
  return { cashappId: current?.cashappId ?? "", image };
}
