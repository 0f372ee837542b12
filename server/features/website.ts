import { website } from "@footprint/contract/website.ts";
import { eq } from "drizzle-orm";
import { createKey } from "../api-keys.ts";
import { record } from "../audit.ts";
import { apiKeys, settings } from "../db/schema.ts";
import { refusal } from "../errors.ts";
import { attach, fileName, openPublicFile, remove } from "../files.ts";
import { routes } from "../http.ts";
import { readCashapp } from "../settings.ts";

export const websiteRoutes = routes(website, {
  async getCashapp({ db }) {
    return { cashapp: await readCashapp(db) };
  },

  async updateCashapp({ body, file, actor, transaction }) {
    if (body.cashappId === undefined && !file) throw refusal(400, "Nothing to change");
    return transaction(async (tx) => {
      const [before] = await tx.select().from(settings).for("update");
      if (!before) throw new Error("the settings row is missing");
      const beforeImage = await fileName(tx, before.imageFileId);
      const cashappId = body.cashappId ?? before.cashappId;
      await tx.update(settings).set({ cashappId, ...(file && { imageFileId: await attach(tx, file) }) });
      if (file && before.imageFileId) await remove(tx, before.imageFileId);

      const words = [
        ...(cashappId === before.cashappId ? [] : [`handle ${before.cashappId || "(none)"} to ${cashappId}`]),
        ...(file ? [`image ${file.name}`] : []),
      ];
      const changes = words.join(", ") || "nothing was different";
      await record(tx, actor, "website", `Updated the payment settings: ${changes}`, {
        before: { cashappId: before.cashappId, image: beforeImage },
        after: { cashappId, image: file?.name ?? beforeImage },
      });
      return { message: "Payment settings updated" };
    });
  },

  async listApiKeys({ db }) {
    const keys = await db.select().from(apiKeys).orderBy(apiKeys.createdAt, apiKeys.id);
    return { keys: keys.map((key) => ({ ...key, _id: key.id })) };
  },

  async createApiKey({ body, actor, transaction }) {
    return transaction(async (tx) => {
      const key = await createKey(tx, body.name);
      await record(tx, actor, "website", `Created the API key ${body.name}`, { after: { name: body.name } });
      return { message: `API key ${body.name} created`, key };
    });
  },

  async deleteApiKey({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const [key] = await tx.delete(apiKeys).where(eq(apiKeys.id, params.id)).returning();
      if (!key) throw refusal(404, "This API key does not exist any more");
      await record(tx, actor, "website", `Deleted the API key ${key.name}`, { before: { name: key.name } });
      return { message: `API key ${key.name} deleted` };
    });
  },

  /** Open to everyone, so it knows one file only: whatever else was uploaded cannot be reached from here. */
  async image({ db, params }) {
    const [current] = await db.select().from(settings).where(eq(settings.imageFileId, params.id));
    if (!current) throw refusal(404, "This image is not in use");
    return openPublicFile(db, params.id);
  },
});
