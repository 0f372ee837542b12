import { session } from "@footprint/contract/session.ts";
import { staff } from "@footprint/contract/staff.ts";
import { website } from "@footprint/contract/website.ts";
import { expect, test } from "vitest";
import { createAdmin } from "../accounts/accounts.ts";
import { addAccount, call, db, logRows, password } from "../testing/server.ts";

const unknown = "01890000-0000-7000-8000-000000000000";

test("the list shows non-admin accounts, newest first, and never a password", async () => {
  await addAccount("maren", "staff");
  await addAccount("boss", "admin");
  const { status, body } = await call("admin", staff.list);
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 2, totalPages: 1 });
  expect(body.staff.map((member) => member.username)).toEqual(["maren", "staff"]);
  expect(body.staff[0]).toEqual({
    _id: expect.any(String),
    username: "maren",
    role: "staff",
    chatId: "",
    notificationAccess: false,
    messageKinds: null,
    quietHours: null,
    twoStep: false,
    failedSignIns: 0,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    lastSeenAt: null,
    suspendedAt: null,
    suspendedBecause: "",
    passwordTemporary: false,
    version: expect.any(String),
  });
});

test("the list pages, sorts and searches", async () => {
  for (let number = 10; number < 30; number++) await addAccount(`member${number}`, "staff");
  const names = async (query: object) =>
    (await call("admin", staff.list, { query })).body.staff.map((row) => row.username);

  expect(await names({ page: 3 })).toEqual(["staff"]);
  expect(await names({ page: 2, limit: 2, sort: "asc" })).toEqual(["member11", "member12"]);
  expect(await names({ search: "BER2", limit: 100 })).toHaveLength(10);
  expect((await call("admin", staff.list, { query: { page: 9 } })).body).toEqual({
    staff: [],
    guessedAt: [],
    total: 21,
    totalPages: 3,
  });
});

test("in a search, % and _ are ordinary characters", async () => {
  await addAccount("a_b", "staff");
  await addAccount("axb", "staff");
  const found = await call("admin", staff.list, { query: { search: "a_b" } });
  expect(found.body.staff.map((row) => row.username)).toEqual(["a_b"]);
  expect((await call("admin", staff.list, { query: { search: "%" } })).body.total).toBe(0);
});

test.for([
  [{ page: 0 }, "page must be at least 1"],
  [{ page: "x" }, "page must be a number"],
  [{ limit: 101 }, "limit must be at most 100"],
  [{ sort: "up" }, "sort must be one of asc, des"],
] as const)("the query %j is refused", async ([query, message]) => {
  const answer = await call("admin", staff.list, { query: query as never });
  expect([answer.status, answer.body.message]).toEqual([400, message]);
  expect(answer.body.issues).toHaveLength(1);
});

test("a created account can sign in, and the log says who created it", async () => {
  const { status, body } = await call("admin", staff.create, { body: { username: "maren", password } });
  expect([status, body]).toEqual([200, { message: "Staff account maren created" }]);
  const login = await call("nobody", session.login, { body: { username: "maren", password } });
  expect((await call({ token: login.body.accessToken }, session.access)).body.role).toBe("staff");
  expect(await logRows()).toContainEqual(
    expect.objectContaining({ admin: "admin", type: "staff", action: "Created staff account maren" }),
  );
});

test("a username is taken regardless of case, also when two ask at once", async () => {
  const answers = await Promise.all(
    ["maren", "MAREN", "Maren"].map((username) => call("admin", staff.create, { body: { username, password } })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
  const late = answers.find((answer) => answer.status === 409);
  expect(late?.body.message).toMatch(/^The username maren is taken$/i);
  expect(await logRows()).toHaveLength(1);
});

test.for(["ab", "x".repeat(33), "has space", "ünïcode", "a/b", ""])("the username %j is refused", async (username) => {
  const answer = await call("admin", staff.create, { body: { username, password } });
  expect(answer.status).toBe(400);
  expect(answer.body.issues[0]?.path).toBe("body.username");
});

test.for(["system", "Terminal", "TERMINAL", "sys.tem", "-system-", "Footprint", "house_keeping"])(
  "nobody is named %s, which the log calls the program",
  async (username) => {
    const { status, body } = await call("admin", staff.create, { body: { username, password } });
    const message = `The name ${username} is the program's own: choose another.`;
    expect([status, body]).toEqual([400, { message, issues: [{ path: "body.username", message }] }]);
    const maren = await addAccount("maren", "staff");
    const renamed = await call("admin", staff.update, { params: { id: maren.id }, body: { username } });
    expect([renamed.status, renamed.body.message]).toEqual([400, message]);
  },
);

test("no account takes the name of an API key, also when both ask at once", async () => {
  const createKey = (name: string) => call("admin", website.createApiKey, { body: { name } });
  await createKey("North");
  const maren = await addAccount("maren", "staff");
  const message = "north is the name of an API key";
  const refused = [400, { message, issues: [{ path: "body.username", message }] }];
  const created = await call("admin", staff.create, { body: { username: "north", password } });
  expect([created.status, created.body]).toEqual(refused);
  const params = { id: maren.id };
  const renamed = await call("admin", staff.update, { params, body: { username: "north" } });
  expect([renamed.status, renamed.body]).toEqual(refused);
  await expect(createAdmin(db, "north")).rejects.toThrow(message);

  for (const name of ["east", "west", "south"]) {
    const both = await Promise.all([
      call("admin", staff.update, { params, body: { username: name } }),
      createKey(name),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  }
});

test("an account that is called like an API key from before keeps its name", async () => {
  await call("admin", website.createApiKey, { body: { name: "North" } });
  const north = await addAccount("north", "staff");
  const body = { username: "North", chatId: "4711" };
  expect((await call("admin", staff.update, { params: { id: north.id }, body })).status).toBe(200);
});

test("an account that is named like the program from before keeps its name and works", async () => {
  const old = await addAccount("system", "staff");
  const login = await call("nobody", session.login, { body: { username: "system", password } });
  expect(login.status).toBe(200);
  const body = { username: "System", chatId: "4711", notificationAccess: false };
  expect((await call("admin", staff.update, { params: { id: old.id }, body })).status).toBe(200);
});

test("a password that is too easy to guess is refused at its field", async () => {
  const answer = await call("admin", staff.create, { body: { username: "maren", password: "Password123" } });
  const message = "This password is too easy to guess. Choose another one.";
  expect([answer.status, answer.body]).toEqual([400, { message, issues: [{ path: "body.password", message }] }]);
});

test("an update changes what was sent and logs before and after", async () => {
  const member = await addAccount("maren", "staff");
  const params = { id: member.id };
  const saved = await call("admin", staff.update, { params, body: { chatId: "4711", notificationAccess: true } });
  expect([saved.status, saved.body.message]).toEqual([200, "Staff account maren saved"]);

  const list = await call("admin", staff.list, { query: { search: "maren" } });
  expect(list.body.staff[0]).toMatchObject({ username: "maren", chatId: "4711", notificationAccess: true });
  expect(await logRows()).toMatchObject([
    {
      type: "staff",
      action: "Changed staff account maren",
      before: { username: "maren", chatId: "", notificationAccess: false },
      after: { username: "maren", chatId: "4711", notificationAccess: true },
    },
  ]);
});

test("a rename to a taken name changes nothing", async () => {
  const member = await addAccount("maren", "staff");
  const answer = await call("admin", staff.update, { params: { id: member.id }, body: { username: "Staff" } });
  expect([answer.status, answer.body.message]).toEqual([409, "The username Staff is taken"]);
  expect(await logRows()).toEqual([]);
});

test("deleting an account ends its sessions at once", async () => {
  const member = await addAccount("maren", "staff");
  expect((await call(member, session.access)).status).toBe(200);
  const gone = await call("admin", staff.delete, { params: { id: member.id } });
  expect([gone.status, gone.body]).toEqual([200, { message: "Staff account maren deleted" }]);
  expect((await call(member, session.access)).status).toBe(401);
  expect(await logRows()).toContainEqual(
    expect.objectContaining({ type: "staff", action: "Deleted staff account maren" }),
  );
});

test("of several deletions of one account at once, one succeeds and the others get 404", async () => {
  const member = await addAccount("maren", "staff");
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call("admin", staff.delete, { params: { id: member.id } })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404, 404, 404, 404]);
});

test("administrators are listed by themselves, and created, renamed and deleted by administrators", async () => {
  const created = await call("admin", staff.create, { body: { username: "boss", password, role: "admin" } });
  expect([created.status, created.body.message]).toEqual([200, "Administrator boss created"]);
  const list = () => call("admin", staff.list, { query: { role: "admin", search: "boss" } });
  const [boss] = (await list()).body.staff;
  expect(boss).toMatchObject({ username: "boss", role: "admin" });
  expect((await call("admin", staff.list)).body.staff.map(({ username }) => username)).toEqual(["staff"]);
  const params = { id: boss?._id ?? "" };
  expect((await call("admin", staff.read, { params })).body.member).toEqual(boss);

  const renamed = await call("admin", staff.update, { params, body: { username: "boss2" } });
  expect([renamed.status, renamed.body.message]).toEqual([200, "Administrator boss2 saved"]);
  const gone = await call("admin", staff.delete, { params });
  expect([gone.status, gone.body.message]).toEqual([200, "Administrator boss2 deleted"]);
  expect((await list()).body.staff).toEqual([]);
  expect((await logRows()).map(({ action }) => action)).toEqual([
    "Created administrator boss",
    "Changed administrator boss2",
    "Deleted administrator boss2",
  ]);
});

test("a malformed id is 400 and an unknown one 404", async () => {
  expect((await call("admin", staff.delete, { params: { id: "7" } })).status).toBe(400);
  expect((await call("admin", staff.delete, { params: { id: unknown } })).status).toBe(404);
});
