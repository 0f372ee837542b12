import { pathOf } from "@footprint/contract/endpoint.ts";
import { website } from "@footprint/contract/website.ts";
import { eq } from "drizzle-orm";
import { record } from "../audit.ts";
import { settings } from "../db/schema.ts";
import { refusal } from "../errors.ts";
import { attach, fileName, openFile, remove } from "../files.ts";
import { routes } from "../http.ts";

export const websiteRoutes = routes(website, {
  async getCashapp({ db }) {
    const [current] = await db.select().from(settings);
    const image = current?.imageFileId ? pathOf(website.image, { id: current.imageFileId }) : null;
    return { cashapp: { cashappId: current?.cashappId ?? "", image } };
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

  /** Open to everyone, so it knows one file only: whatever else was uploaded cannot be reached from here. */
  async image({ db, params }) {
    const [current] = await db.select().from(settings).where(eq(settings.imageFileId, params.id));
    if (!current) throw refusal(404, "This image is not in use");
    return { ...(await openFile(db, params.id)), inline: true };
  },
});
