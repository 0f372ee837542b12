import { deflateSync } from "node:zlib";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { settingsId } from "@footprint/contract/logs.ts";
import { website } from "@footprint/contract/website.ts";
import { notLike, sql } from "drizzle-orm";
import sharp from "sharp";
import { expect, test } from "vitest";
import { files, logs, paymentHandles, settings } from "../db/schema.ts";
import { follow } from "../testing/follower.ts";
import { formWith, png as unopenable } from "../testing/multipart.ts";
import { chunksOf, movingPng, numbers, pngOf, pngWith, qrImage } from "../testing/qr-images.ts";
import { meetAt } from "../testing/races.ts";
import { addAccount, call, db, logRows, origin } from "../testing/server.ts";

type Caller = Parameters<typeof call>[0];
type Fields = { cashappId?: string; confirmation?: string; image?: Buffer<ArrayBuffer> };

async function save({ image, ...fields }: Fields, as: Caller = "admin", headers: Record<string, string> = {}) {
  const form = formWith({ ...fields, ...(image && { image: new Blob([image]) }) }, "qr.png");
  return call(as, website.updateCashapp, { form, headers });
}
const cashapp = async () => (await call("admin", website.getCashapp)).body.cashapp;
const history = async () => (await call("admin", website.cashappHistory)).body.history;
const link = (handle: string) => `https://cash.app/${handle}`;
const noQr = "No QR code could be read in the image";
const older = "The image is older than the handle";
const asSent = "The image could not be opened here and is shown as it was sent";
/** A picture without a code. */
const png = pngOf(40, 40, deflateSync(Buffer.alloc(40 * 41)));
const shown = async () => Buffer.from(await (await fetch(origin + (await cashapp()).image)).arrayBuffer());
/** The visible part of an image: its pixels, without colour profiles and the like. */
const pixelsOf = (image: Buffer) => sharp(image).flatten({ background: "#fff" }).toColourspace("srgb").raw().toBuffer();

test("an image whose QR code pays the handle is saved without a warning, however the code says it", async () => {
  for (const says of [
    ["https://cash.app/$shop", "http://www.cash.app/$shop/", "HTTPS://CASH.APP/$SHOP", "cash.app/$Shop?qr=1"],
    ["https://cash.app/$shop/25.00", "https://cash.app/%24shop", "https://cash.me/$shop", " $shop "],
  ]) {
    const { status, body } = await save({ cashappId: "$shop", image: qrImage(...says) });
    expect([status, body]).toEqual([
      200,
      { message: "Payment settings updated", version: expect.any(String), warnings: [] },
    ]);
    const { cashappId, qr, warnings } = await cashapp();
    expect([cashappId, qr.toSorted(), warnings]).toEqual(["$shop", says.toSorted(), []]);
  }
});

test("a QR code that pays somebody else is refused, unless that is confirmed in words", async () => {
  await save({ cashappId: "$shop", image: qrImage(link("$shop")) });
  const [before, logged] = [await cashapp(), await logRows()];
  const image = qrImage(link("$stranger"));
  for (const fields of [
    { image },
    { image, confirmation: "pay $shop" },
    { image, confirmation: "yes" },
    { image, cashappId: "$other" },
  ]) {
    const { status, body } = await save(fields);
    expect([status, body]).toEqual([
      409,
      {
        message: `The image's QR code pays $stranger, not ${fields.cashappId ?? "$shop"}. If that is meant, confirm it with the words: pay $stranger`,
        confirmWith: "pay $stranger",
      },
    ]);
  }
  expect([await cashapp(), await db.$count(files)]).toEqual([before, 1]);
  // The attempt is logged, an equal one only once.
  expect((await logRows()).slice(logged.length).map(({ action, after }) => [action, after])).toEqual(
    ["$shop", "$other"].map((cashappId) => [
      `Was refused to change the payment settings: The image's QR code pays $stranger, not ${cashappId}`,
      { cashappId, qr: [link("$stranger")] },
    ]),
  );

  const warnings = ["The image's QR code pays $stranger"];
  const { status, body } = await save({ image, confirmation: " Pay $stranger " });
  expect([status, body.warnings]).toEqual([200, warnings]);
  expect(await cashapp()).toMatchObject({ cashappId: "$shop", qr: [link("$stranger")], warnings });
  expect((await logRows()).at(-1)).toMatchObject({
    action: "Updated the payment settings: image qr.png. The image's QR code pays $stranger",
    after: { cashappId: "$shop", image: "qr.png", warnings },
  });
});

test("a code that only looks like the handle's is another one, and the confirming words say where it leads", async () => {
  for (const [says, confirmWith] of [
    ["https://cash.app.example.com/$shop", "open cash.app.example.com"],
    ["https://cash.app@example.com/$shop", "open example.com"],
    ["HTTPS://EXAMPLE.COM:8080/?to=https://cash.app/$shop", "open example.com"],
    ["example.com/$shop", "open example.com"],
    ["https://c\u0430sh.app/$shop", "open xn--csh-6cd.app"],
    ["https://cash.app/$shop/../$stranger", "use this image"],
    ["https://cash.app\\@example.com/$shop", "use this image"],
    ["https://cash.app/$shop\nhttps://cash.app/$stranger", "use this image"],
    ["https://cash.app/＄shop", "use this image"],
    [`https://${"a.".repeat(100)}example.com/`, "use this image"],
    ["bitcoin:1abc.d", "use this image"],
    ["x".repeat(900), "use this image"],
  ] as const) {
    const image = qrImage(says);
    const { status, body } = await save({ cashappId: "$shop", image });
    expect([says, status, body]).toMatchObject([says, 409, { confirmWith }]);
    expect(body.message.length).toBeLessThan(350);
  }
  const both = qrImage("https://example.com/pay", link("$stranger"));
  const words = /^(open example\.com and pay \$stranger|pay \$stranger and open example\.com)$/;
  const { body: refused } = await save({ cashappId: "$shop", image: both });
  expect(refused).toMatchObject({ confirmWith: expect.stringMatching(words) });
  const image = qrImage("https://example.com/pay");
  expect((await save({ cashappId: "$shop", image, confirmation: "use this image" })).status).toBe(409);
  const { body } = await save({ cashappId: "$shop", image, confirmation: "Open example.com" });
  expect(body.warnings).toEqual(["The image's QR code says “https://example.com/pay”"]);
});

test("each of several QR codes in an image has to pay the handle", async () => {
  const image = qrImage(link("$shop"), link("$stranger"));
  expect((await save({ cashappId: "$shop", image })).body).toMatchObject({ confirmWith: "pay $stranger" });
  expect((await save({ cashappId: "$shop", image: qrImage(link("$shop"), "$SHOP") })).body.warnings).toEqual([]);
});

test("QR codes are read in every kind of image, turned, mirrored, transparent, and small within a picture", async () => {
  const plain = sharp(qrImage(link("$stranger")));
  const { width = 0, height = 0 } = await plain.metadata();
  const black = { create: { width, height, channels: 3 as const, background: "#000" } };
  const transparent = sharp(black).joinChannel(await plain.clone().negate().extractChannel(0).raw().toBuffer(), {
    raw: { width, height, channels: 1 },
  });
  const within = plain.clone().extend({ top: 900, left: 1200, right: 300, bottom: 200, background: "#dde" });
  const white = { create: { width: 900, height: 900, channels: 3 as const, background: "#fff" } };
  const mirrored = sharp(white).composite([
    { input: qrImage(link("$shop")), left: 0, top: 0 },
    { input: await plain.clone().flop().resize(600).png().toBuffer(), left: 300, top: 300 },
  ]);
  for (const image of [
    mirrored.png(),
    plain.clone().jpeg(),
    plain.clone().webp(),
    plain.clone().gif(),
    plain.clone().rotate(90).png(),
    transparent.png(),
    within.jpeg({ quality: 70 }),
  ]) {
    const bytes = Buffer.from(await image.toBuffer());
    expect(await save({ cashappId: "$shop", image: bytes })).toMatchObject({ status: 409 });
  }
});

test("a second QR code that is tiny or faint is found", async () => {
  const [shop, stranger] = [sharp(qrImage(link("$shop"))), sharp(qrImage(link("$stranger")))];
  const white = { create: { width: 1000, height: 1000, channels: 3 as const, background: "#fff" } };
  const beside = async (second: Buffer, place: number) => {
    const first = { input: await shop.clone().resize(500).png().toBuffer(), left: 100, top: 100 };
    const both = sharp(white).composite([first, { input: second, left: place, top: place }]);
    return Buffer.from(await both.png().toBuffer());
  };
  const tiny = await beside(await stranger.clone().resize(41).png().toBuffer(), 800);
  const faint = await beside(await stranger.clone().resize(200).linear(0.15, 216).png().toBuffer(), 750);
  for (const image of [tiny, faint])
    expect((await save({ cashappId: "$shop", image })).body).toMatchObject({ confirmWith: "pay $stranger" });
});

test("customers see the very pixels that were read, whatever else the file would show", async () => {
  const [good, evil] = [qrImage(link("$shop")), qrImage(link("$evil"))];
  const { width = 0, height = 0 } = await sharp(good).metadata();
  // On a dark page only the modules that are light in both codes would remain, and with them the other code.
  const light = await sharp(evil).extractChannel(0).raw().toBuffer();
  const isLight = await sharp(good).extractChannel(0).raw().toBuffer();
  const alpha = light.map((value, at) => (isLight[at] === 0 ? 255 : value));
  const transparent = await sharp(good)
    .toColourspace("srgb")
    .joinChannel(Buffer.from(alpha), { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  for (const image of [
    good,
    movingPng(good, evil),
    Buffer.from(transparent),
    pngWith(good, [["gAMA", numbers(2000)]]),
    Buffer.from(await sharp(good).webp({ lossless: true }).toBuffer()),
    Buffer.from(await sharp(good).gif().toBuffer()),
  ]) {
    expect((await save({ cashappId: "$shop", image })).body.warnings).toEqual([]);
    const served = await shown();
    expect((await pixelsOf(served)).equals(await pixelsOf(good))).toBe(true);
    expect(await sharp(served).metadata()).toMatchObject({ format: "png", width, height, hasAlpha: false });
    const types = new Set(chunksOf(served).map(({ type }) => type));
    expect([...types].filter((type) => !["IHDR", "pHYs", "IDAT", "IEND"].includes(type))).toEqual([]);
  }
  expect((await logRows()).at(-1)?.after).toMatchObject({ image: "qr.png" });
  // The file that was sent is not kept, only the drawing.
  expect(await db.$count(files)).toBe(6);
});

test("a photo is shown the way round it was taken, and no larger than it was read", async () => {
  const photo = sharp(qrImage(link("$shop"))).extend({ right: 1500, background: "#fff" });
  const image = Buffer.from(await photo.jpeg().withMetadata({ orientation: 6 }).toBuffer());
  expect((await save({ cashappId: "$shop", image })).body.warnings).toEqual([]);
  const { width = 0, height = 0, orientation } = await sharp(await shown()).metadata();
  expect([height, width < height, orientation]).toEqual([1024, true, undefined]);
});

test("an image of an earlier version is drawn anew when the handle changes, or somebody returns to it", async () => {
  await save({ cashappId: "$shop", image: qrImage(link("$shop")) });
  const [first] = await history();
  const moving = movingPng(qrImage(link("$shop")), qrImage(link("$evil")));
  const asBytes = sql`decode(${moving.toString("base64")}, 'base64')`;
  await db.execute(sql`update file_chunks set data = ${asBytes}`);
  await db.execute(sql`update files set size = ${moving.length}`);
  const isStill = async () => !(await shown()).includes("fdAT");

  expect((await save({ cashappId: "$SHOP" })).body.warnings).toEqual([]);
  expect([await isStill(), await db.$count(files)]).toEqual([true, 2]);
  const returned = await call("admin", website.restoreCashapp, { params: { id: first?._id ?? "" }, body: {} });
  expect([returned.status, returned.body.warnings]).toEqual([200, []]);
  expect([await isStill(), (await cashapp()).cashappId]).toEqual([true, "$shop"]);
});

test("an image that cannot be opened is shown as it was sent, and the log says so", async () => {
  expect((await save({ cashappId: "$shop", image: unopenable })).body.warnings).toEqual([noQr, asSent]);
  expect(await shown()).toEqual(unopenable);
  expect(await cashapp()).toMatchObject({ warnings: [noQr, asSent] });
});

test("an image in which no QR code can be read is saved, with a warning that is on record", async () => {
  for (const image of [png, qrImage(link("$shop")).subarray(0, 200)]) {
    const { status, body } = await save({ cashappId: "$shop", image });
    expect([status, body.warnings]).toEqual([200, [noQr]]);
  }
  expect(await cashapp()).toMatchObject({ qr: [], warnings: [noQr] });
  expect((await logRows()).at(-1)?.after).toMatchObject({ warnings: [noQr] });
});

test("an image that unpacks to very much is refused before it is unpacked, and of one that moves the first picture is shown", async () => {
  const large = pngOf(30_000, 30_000, deflateSync(Buffer.alloc(1_000_000)));
  const { status, body } = await save({ image: large });
  expect([status, body]).toEqual([413, { message: "An image has at most 4096 by 4096 pixels" }]);
  expect(await db.$count(files)).toBe(0);
  const frames = [link("$shop"), link("$evil")].map((text) => sharp(qrImage(text)).ensureAlpha().png().toBuffer());
  const moving = sharp(await Promise.all(frames), { join: { animated: true } }).webp({ lossless: true });
  const { body: saved } = await save({ cashappId: "$shop", image: Buffer.from(await moving.toBuffer()) });
  expect(saved.warnings).toEqual([]);
  const still = await shown();
  expect((await sharp(still).metadata()).pages).toBe(undefined);
  expect((await pixelsOf(still)).equals(await pixelsOf(qrImage(link("$shop"))))).toBe(true);
});

test("the handle alone is not changed while the image's QR code pays the old one, unless confirmed", async () => {
  await save({ cashappId: "$shop", image: qrImage(link("$shop")) });
  const refused = await save({ cashappId: "$stranger" });
  expect([refused.status, refused.body]).toMatchObject([409, { confirmWith: "pay $shop" }]);
  expect((await save({ cashappId: "$SHOP" })).body.warnings).toEqual([]);
  const { status, body } = await save({ cashappId: "$stranger", confirmation: "pay $shop" });
  expect([status, body.warnings]).toEqual([200, ["The image's QR code pays $shop", older]]);
});

test("a handle beside an older image that says nothing is saved with a warning, until a new image comes", async () => {
  await save({ cashappId: "$shop", image: png });
  expect((await save({ cashappId: "$other" })).body.warnings).toEqual([noQr, older]);
  expect(await cashapp()).toMatchObject({ warnings: [noQr, older] });
  expect((await save({ image: png })).body.warnings).toEqual([noQr]);
  expect((await save({ image: qrImage(link("$other")) })).body.warnings).toEqual([]);
  expect(await cashapp()).toMatchObject({ warnings: [] });
});

test("the history shows what customers were shown, by whom it was set, and leads back to it", async () => {
  const { token } = await addAccount("second.admin", "admin");
  const first = qrImage(link("$shop"));
  await save({ cashappId: "$shop", image: first });
  await save({ cashappId: "$other", image: qrImage(link("$other")) }, { token });
  const [newest, oldest] = await history();
  expect([newest, oldest]).toMatchObject([
    { cashappId: "$other", previous: "$shop", image: "qr.png", isCurrent: true, by: { username: "second.admin" } },
    { cashappId: "$shop", previous: "", qr: [link("$shop")], isCurrent: false, by: { username: "admin" } },
  ]);
  const id = oldest?._id ?? "";
  const image = await fetch(`${origin}/api/v1/website/cashapp-image/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const pixels = await pixelsOf(Buffer.from(await image.arrayBuffer()));
  expect(pixels.equals(await pixelsOf(first))).toBe(true);
  expect((await call("staff", website.cashappImage, { params: { id } })).status).toBe(403);
  expect((await call("nobody", website.cashappImage, { params: { id } })).status).toBe(401);

  const returned = await call("admin", website.restoreCashapp, { params: { id }, body: {} });
  expect([returned.status, returned.body]).toMatchObject([
    200,
    { message: "Customers pay to $shop again", warnings: [] },
  ]);
  expect(await cashapp()).toMatchObject({ cashappId: "$shop", qr: [link("$shop")] });
  expect((await history()).map(({ cashappId, isCurrent }) => [cashappId, isCurrent])).toEqual([
    ["$shop", true],
    ["$other", false],
    ["$shop", false],
  ]);
  expect((await logRows()).at(-1)?.action).toBe(
    "Updated the payment settings: handle $other back to $shop, image back to qr.png",
  );
  const again = await call("admin", website.restoreCashapp, { params: { id }, body: {} });
  expect([again.status, again.body.message]).toEqual([200, "This is shown already"]);
  expect((await call("admin", website.restoreCashapp, { params: { id: settingsId }, body: {} })).status).toBe(404);
});

test("what was confirmed once is asked again when somebody returns to it", async () => {
  await save({ cashappId: "$shop", image: qrImage(link("$stranger")), confirmation: "pay $stranger" });
  const [bad] = await history();
  await save({ image: qrImage(link("$shop")) });
  const params = { id: bad?._id ?? "" };
  const refused = await call("admin", website.restoreCashapp, { params, body: {} });
  expect([refused.status, refused.body]).toMatchObject([409, { confirmWith: "pay $stranger" }]);
  const confirmed = await call("admin", website.restoreCashapp, { params, body: { confirmation: "pay $stranger" } });
  expect([confirmed.status, confirmed.body.warnings]).toEqual([200, ["The image's QR code pays $stranger"]]);
});

test("the image is removed, or the handle with it; both stay in the history", async () => {
  await save({ cashappId: "$shop", image: qrImage(link("$shop")) });
  const { image } = await cashapp();
  const remove = (what: "image" | "handle") => call("admin", website.removeCashapp, { body: { remove: what } });
  expect((await remove("image")).body.message).toBe("QR image removed");
  expect(await cashapp()).toMatchObject({ cashappId: "$shop", image: null, qr: [], warnings: [] });
  expect((await fetch(origin + image)).status).toBe(404);
  expect((await remove("handle")).body.message).toBe("Payment handle removed");
  expect(await cashapp()).toMatchObject({ cashappId: "", image: null });
  expect((await remove("handle")).body.message).toBe("There is nothing to remove");
  expect((await logRows()).map(({ action }) => action).slice(1)).toEqual([
    "Updated the payment settings: image qr.png removed",
    "Updated the payment settings: handle $shop removed",
  ]);
  const entries = await history();
  expect(entries.map(({ cashappId, image: name }) => [cashappId, name])).toEqual([
    ["", null],
    ["$shop", null],
    ["$shop", "qr.png"],
  ]);
  const id = entries.at(-1)?._id ?? "";
  expect((await call("admin", website.restoreCashapp, { params: { id }, body: {} })).status).toBe(200);
  expect((await fetch(origin + (await cashapp()).image)).status).toBe(200);
});

test("a handle and an image that are changed at once never end beside each other unseen", async () => {
  await save({ cashappId: "$shop", image: png });
  const answers = await meetAt(settings, { id: true }, () => [
    save({ cashappId: "$other" }),
    save({ image: qrImage(link("$shop")) }),
    save({ cashappId: "$other" }),
    save({ image: qrImage(link("$shop")) }),
  ]);
  for (const { status } of answers) expect([200, 409]).toContain(status);
  const { cashappId, qr, warnings } = await cashapp();
  if (cashappId === "$other") expect([qr, warnings]).toEqual([[], [noQr, older]]);
  else expect([qr, warnings]).toEqual([[link("$shop")], []]);
  const changes = await db.$count(paymentHandles);
  expect(await db.$count(logs, notLike(logs.action, "Was refused %"))).toBe(changes);
});

test("a repeat with the same key is the first answer again, warnings and all", async () => {
  const headers = { "idempotency-key": "handle-1" };
  const fields = { cashappId: "$shop", image: png };
  const [first, second] = [await save(fields, "admin", headers), await save(fields, "admin", headers)];
  expect(second.body).toEqual(first.body);
  expect([second.body.warnings, await db.$count(paymentHandles), await db.$count(files)]).toEqual([[noQr], 1, 1]);
});

test("every session of every administrator is told at once, and staff are not", async () => {
  const { token } = await addAccount("second.admin", "admin");
  const all = [await follow("admin"), await follow({ token }), await follow({ token }), await follow("staff")];
  const staff = all.at(-1);
  await save({ cashappId: "$shop" });
  for (const follower of all.slice(0, -1)) await follower.until(({ data }) => data.paymentHandle === true);
  await call("staff", website.getCashapp);
  expect(JSON.stringify(staff?.heard)).not.toContain("paymentHandle");
  await Promise.all(all.map((follower) => follower.leave()));
});

test("for a week the dashboard says that the handle was changed, by whom and from what", async () => {
  const told = async () => (await call("admin", dashboard.attention)).body.paymentHandle;
  expect(await told()).toBe(null);
  await save({ cashappId: "$shop", image: png });
  await save({ cashappId: "$other" });
  expect(await told()).toMatchObject({ from: "", to: "$other", by: ["admin"], changes: 2, warnings: 3 });
  await db.execute(sql`update payment_handles set created_at = created_at - interval '7 days'`);
  expect(await told()).toBe(null);
});

test("a harmless change does not hide the swap before it from the dashboard", async () => {
  const { token } = await addAccount("second.admin", "admin");
  const told = async () => (await call("admin", dashboard.attention)).body.paymentHandle;
  await save({ cashappId: "$shop", image: qrImage(link("$shop")) });
  await db.execute(sql`update payment_handles set created_at = created_at - interval '8 days'`);
  const stranger = qrImage(link("$stranger"));
  await save({ image: stranger, confirmation: "pay $stranger" }, { token });
  await save({ cashappId: "$stranger" }, { token });
  await save({ cashappId: "$STRANGER" });
  expect(await told()).toEqual({
    ...{ from: "$shop", to: "$STRANGER", changes: 3, by: ["admin", "second.admin"], warnings: 1 },
    createdAt: (await history())[0]?.createdAt,
  });
  // Changing it back is announced too.
  await save({ cashappId: "$shop", image: qrImage(link("$shop")) }, { token });
  expect(await told()).toMatchObject({ from: "$shop", to: "$shop", changes: 4, by: ["second.admin", "admin"] });
});
