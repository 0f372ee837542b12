import { fedex } from "@footprint/contract/fedex.ts";
import { website } from "@footprint/contract/website.ts";
import { expect, test } from "vitest";
import { uuidv7 } from "../db/ids.ts";
import { files } from "../db/schema.ts";
import { addFedexOrder } from "../testing/builders.ts";
import { formWith, pdf, png } from "../testing/multipart.ts";
import { call, db, logRows, origin } from "../testing/server.ts";

const cashapp = async () => (await call("admin", website.getCashapp)).body.cashapp;
const update = (fields: Record<string, string | Blob>, filename = "qr.png") =>
  call("admin", website.updateCashapp, { form: formWith(fields, filename) });

/** Images that cannot be opened are kept as they are. */
const unread = [
  "No QR code could be read in the image",
  "The image could not be opened here and is shown as it was sent",
];
const told = unread.join(". ");

test("at first there is neither handle nor image", async () => {
  const { status, body } = await call("admin", website.getCashapp);
  expect([status, body]).toEqual([
    200,
    { cashapp: { cashappId: "", image: null, qr: [], warnings: [], version: expect.any(String) } },
  ]);
});

test("handle and image are set together, and the change is in the log", async () => {
  const { status, body } = await update({ cashappId: " $footprint ", image: new Blob([png]) });
  expect([status, body]).toEqual([
    200,
    { message: "Payment settings updated", version: expect.any(String), warnings: unread },
  ]);
  expect(await cashapp()).toMatchObject({
    cashappId: "$footprint",
    image: expect.stringMatching(/^\/api\/v1\/website\/image\/[\da-f-]{36}$/),
  });
  expect(await logRows()).toEqual([
    {
      admin: "admin",
      type: "website",
      action: `Updated the payment settings: handle (none) to $footprint, image qr.png. ${told}`,
      before: { cashappId: "", image: null },
      after: { cashappId: "$footprint", image: "qr.png", warnings: unread },
    },
  ]);
});

test("one is changed without the other, by form or JSON", async () => {
  await update({ cashappId: "$first", image: new Blob([png]) });
  const { image } = await cashapp();
  expect((await call("admin", website.updateCashapp, { body: { cashappId: "$second" } })).status).toBe(200);
  expect(await cashapp()).toMatchObject({ cashappId: "$second", image });
  expect((await update({ image: new Blob([png]) }, "new.png")).status).toBe(200);
  expect((await cashapp()).cashappId).toBe("$second");
  expect((await logRows()).slice(1).map(({ action, before, after }) => [action, before, after])).toEqual([
    [
      `Updated the payment settings: handle $first to $second. ${told}. The image is older than the handle`,
      { cashappId: "$first", image: "qr.png" },
      { cashappId: "$second", image: "qr.png", warnings: [...unread, "The image is older than the handle"] },
    ],
    [
      `Updated the payment settings: image new.png. ${told}`,
      { cashappId: "$second", image: "qr.png" },
      { cashappId: "$second", image: "new.png", warnings: unread },
    ],
  ]);
});

test("the image is shown to anyone, from any page, and may be kept for ever", async () => {
  await update({ image: new Blob([png]) });
  const { status, headers, ...answer } = await fetch(origin + (await cashapp()).image).then(async (response) => ({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes: Buffer.from(await response.bytes()),
  }));
  expect([status, answer.bytes]).toEqual([200, png]);
  expect(headers).toMatchObject({
    "content-type": "image/png",
    "content-disposition": `inline; filename="qr.png"; filename*=UTF-8''qr.png`,
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "cross-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
});

test("a new image has a new address, and the old one is shown to nobody without a session", async () => {
  await update({ image: new Blob([png]) });
  const before = (await cashapp()).image;
  await update({ image: new Blob([png]) });
  const after = (await cashapp()).image;
  expect(after).not.toBe(before);
  expect((await fetch(origin + after)).status).toBe(200);
  const gone = await fetch(origin + before);
  expect([gone.status, await gone.json()]).toEqual([404, { message: "This image is not in use" }]);
});

test("no other file can be had without a session", async () => {
  await update({ image: new Blob([png]) });
  const order = await addFedexOrder();
  await call("staff", fedex.update, { params: { id: order.id }, form: formWith({ file: new Blob([pdf]) }) });
  const [document] = (await db.select().from(files)).filter((file) => file.type === "application/pdf");
  for (const id of [document?.id ?? "", order.id, uuidv7()]) {
    const answer = await call("nobody", website.image, { params: { id } });
    expect([answer.status, answer.body]).toEqual([404, { message: "This image is not in use" }]);
  }
  expect((await call("nobody", website.image, { params: { id: "1" } })).status).toBe(400);
});

test.for(["footprint", "$", "$1name", "$a b", `$${"a".repeat(21)}`, ""])("the handle %j is 400", async (cashappId) => {
  const { status, body } = await update({ cashappId, image: new Blob([png]) });
  const message = "A handle is $ and up to 20 letters, digits, _ or -, the first a letter";
  expect([status, body]).toEqual([400, { message, issues: [{ path: "body.cashappId", message }] }]);
  expect([await cashapp(), await db.$count(files)]).toMatchObject([{ cashappId: "", image: null }, 0]);
  expect(await logRows()).toEqual([]);
});

test("saving the settings as they are is accepted and leaves nothing in the log", async () => {
  await update({ cashappId: "$same" });
  const logged = await logRows();
  for (const input of [{}, { body: {} }, { form: formWith({ other: "x" }) }, { body: { cashappId: "$same" } }]) {
    const { status, body } = await call("admin", website.updateCashapp, input);
    expect([status, body]).toEqual([
      200,
      { message: "Payment settings updated", version: expect.any(String), warnings: [] },
    ]);
  }
  expect(await cashapp()).toMatchObject({ cashappId: "$same", image: null });
  expect(await logRows()).toEqual(logged);
});

test("the image is an image of at most 2 MB", async () => {
  const document = await update({ image: new Blob([pdf]) });
  expect([document.status, document.body]).toEqual([415, { message: "The file must be one of PNG, JPEG, WEBP, GIF" }]);
  const large = await update({ image: new Blob([png, new Uint8Array(2 * 1024 * 1024 - png.length + 1)]) });
  expect([large.status, large.body]).toEqual([413, { message: "A file has at most 2 MB" }]);
  expect((await update({ image: new Blob([png, new Uint8Array(2 * 1024 * 1024 - png.length)]) })).status).toBe(200);
});

test("staff may neither see nor change the payment settings", async () => {
  const refused = { message: "Only administrators may do this" };
  const seen = await call("staff", website.getCashapp);
  const changed = await call("staff", website.updateCashapp, { body: { cashappId: "$mine" } });
  expect([seen.status, seen.body, changed.status, changed.body]).toEqual([403, refused, 403, refused]);
});
