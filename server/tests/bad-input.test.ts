import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import { approvals } from "@footprint/contract/approvals.ts";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { eventStream } from "@footprint/contract/events.ts";
import { download } from "@footprint/contract/schemas.ts";
import { session } from "@footprint/contract/session.ts";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createKey } from "../accounts/api-keys.ts";
import { openSession } from "../accounts/sessions.ts";
import { features } from "../app.ts";
import { checkBooks } from "../money/books.ts";
import { type BadInput, badInput, isRefused, onTheWire, refusedInput } from "../testing/bad-input.ts";
import { problemWith } from "../testing/refusals.ts";
import { addAccount, db, emptyDatabase, fingerprint, forgetRows, keepRows, origin } from "../testing/server.ts";
import { addSomeOfEverything } from "../testing/some-of-everything.ts";
import type { Known } from "../testing/valid-input.ts";

// BAD_INPUT_RUNS=3000 tries thousands of inputs on every call; BAD_INPUT_SEED repeats a failure.
/** Inputs that are certainly refused, and must leave no trace; and any inputs, some of which get further. */
const batches = { refused: 8, any: 15 };
const perRound = batches.refused + batches.any;
const runs = Number(process.env.BAD_INPUT_RUNS ?? perRound);
const seed = Number(process.env.BAD_INPUT_SEED ?? 7400);
const timeout = 60_000 + runs * 100;
/** Before the test times out: a failure must be printed with its seed, even if making it small takes long. */
const interruptAfterTimeLimit = timeout - 30_000;

const calls = Object.entries(features).flatMap(([name, { feature }]) =>
  Object.values(feature).map((call: Endpoint) => ({ feature: name, call, method: call.method, path: call.path })),
);

let known: (feature: string) => Known;
let admin: { id: string };
type Tokens = { operator: string; shop: string };
let tokens: Tokens;
/** The tokens that every test begins with. */
let firstTokens: Tokens;

beforeAll(async () => {
  await emptyDatabase();
  known = await addSomeOfEverything();
  admin = await addAccount("bad.input", "admin");
  firstTokens = await signIn();
  await keepRows();
});
afterAll(forgetRows);

beforeEach(() => {
  tokens = firstTokens;
});

const signIn = async (): Promise<Tokens> => ({
  operator: await openSession(db, admin.id, { confirmedIn: "127.0.0.1" }),
  // An unbounded key, so that input reaches the rows of the builders.
  shop: await db.transaction((tx) => createKey(tx, { name: "Bad shop", bounded: false })),
});

/** Only so many searches and file uploads of one caller may wait. */
const agent = new Agent({ keepAlive: true, maxSockets: 10 });

type Answer = { status: number; type: string; text: string };

function ask(call: Endpoint, input: BadInput): Promise<Answer> {
  const { path, headers, body } = onTheWire(call, input);
  const token = call.access === "storefront" ? tokens.shop : tokens.operator;
  return new Promise((done, fail) => {
    const request = httpRequest(origin, {
      agent,
      method: call.method,
      path,
      headers: { ...headers, authorization: `Bearer ${token}`, "content-length": body?.length ?? 0 },
    });
    request.on("error", fail);
    request.on("response", async (response) => {
      // Of an endless answer only the beginning is read.
      const isEndless = call.reply === eventStream && response.statusCode === 200;
      const received = Buffer.concat(isEndless ? await once(response, "data") : await response.toArray());
      if (isEndless) response.destroy();
      const text = String(response.headers["content-encoding"] === "gzip" ? gunzipSync(received) : received);
      done({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text });
    });
    request.end(body);
  });
}

/** Some input signs out or deletes its own key; then a new session or key is made. */
async function askSignedIn(call: Endpoint, input: BadInput): Promise<Answer> {
  const answer = await ask(call, input);
  if (answer.status !== 401 || call.access === "public") return answer;
  tokens = await signIn();
  return ask(call, input);
}

const isExport = ({ path }: Endpoint) => path.endsWith("/export");

const askAtOnce = (call: Endpoint, inputs: BadInput[]) => Promise.all(inputs.map((input) => askSignedIn(call, input)));

/** An account may run only one export at a time. */
async function askOneByOne(call: Endpoint, inputs: BadInput[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const input of inputs) answers.push(await askSignedIn(call, input));
  return answers;
}

const { confirm, changePassword, beginTwoStep, disableTwoStep, newRecoveryCodes } = session;
const takePassword = new Set<Endpoint>([confirm, changePassword, beginTwoStep, disableTwoStep, newRecoveryCodes]);

/** These log refusals of valid input: it can no longer be done, or not by this caller. */
const keepRecord = new Set<Endpoint>([approvals.approve, approvals.decline]);

/** The whole database, except that a wrong password is stored as a failed sign-in and logged. */
async function lasting(call: Endpoint) {
  const all = await fingerprint();
  const { sign_ins, logs, counters, ...rest } = all;
  return takePassword.has(call) ? rest : all;
}

const isDone = ({ status }: Answer) => status >= 200 && status < 300;

function problemsOf(call: Endpoint, input: BadInput, answer: Answer): string[] {
  const problem = isDone(answer) ? wrongReply(call, answer) : problemWith(answer);
  const accepted =
    isDone(answer) && isRefused(call, input) ? "the contract refuses this, and it was accepted" : undefined;
  return [problem, accepted]
    .filter((found) => found !== undefined)
    .map(
      (found) => `${found}: ${answer.status} ${answer.text.slice(0, 500)} to ${JSON.stringify(input).slice(0, 1000)}`,
    );
}

function wrongReply({ reply }: Endpoint, { text }: Answer): string | undefined {
  if (reply === download || reply === eventStream) return undefined;
  const parsed = reply.safeParse(JSON.parse(text));
  return parsed.success ? undefined : `the reply is not as the contract says (${parsed.error.message})`;
}

test.for(calls)(
  "$method $path refuses bad input with a sentence, and it changes nothing",
  { timeout },
  async ({ call, feature }) => {
    const inputs = badInput(call, known(feature));
    const refused = refusedInput(call, known(feature));
    const batch = (input: fc.Arbitrary<BadInput>, length: number) =>
      fc.array(input, { minLength: length, maxLength: length, size: "max" });
    const hopeless = refused ? batch(refused, batches.refused) : fc.constant<BadInput[]>([]);
    // An export leaves a log entry.
    const leavesNothing = call.method === "GET" && !isExport(call);
    let isFirst = true;
    let hasLeftSomething = false;
    const property = fc.asyncProperty(hopeless, batch(inputs, batches.any), async (...sents) => {
      // Earlier input may have signed us out.
      if (!isFirst) tokens = await signIn();
      isFirst = false;
      const before = await lasting(call);
      for (const [place, sent] of sents.entries()) {
        const answers = await (isExport(call) ? askOneByOne : askAtOnce)(call, sent);
        const problems = answers.flatMap((answer, index) => problemsOf(call, sent[index] as BadInput, answer));
        expect(problems).toEqual([]);
        const isLast = place === 1;
        // If nothing at all may change, one comparison at the end is enough.
        if (leavesNothing && !isLast) continue;
        const mayLeaveSomething = !leavesNothing && isLast && (answers.some(isDone) || keepRecord.has(call));
        if (mayLeaveSomething) hasLeftSomething = true;
        else expect(await lasting(call)).toEqual(before);
      }
    });
    await fc.assert(property, { seed, numRuns: Math.ceil(runs / perRound), interruptAfterTimeLimit });
    if (hasLeftSomething) expect((await checkBooks(db)).problems).toEqual([]);
  },
);

test("the input thrown at every call is valid now and then, so that it gets far", () => {
  const rare = calls.filter(({ call, feature }) => {
    const inputs = badInput(call, known(feature));
    const isRareAmong = (numRuns: number) =>
      fc.sample(inputs, { seed, numRuns }).filter((input) => !isRefused(call, input)).length < 3;
    // For most calls a few inputs are enough.
    return [10, 30, 150].every(isRareAmong);
  });
  expect(rare.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

const megabyte = 1024 * 1024;

test("the same bad input over and over takes no more memory", { timeout }, async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const round = calls.map(({ call, feature }) => ({
    call,
    input: fc.sample(badInput(call, known(feature)), { seed, numRuns: 1 })[0] as BadInput,
  }));
  const throwAll = async (times: number) => {
    for (let time = 0; time < times; time++) for (const { call, input } of round) await askSignedIn(call, input);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await throwAll(1);
  const after = await throwAll(2);
  // Some 450 requests: each may leave 18 kB behind, a fraction of its size.
  expect((after - before) / megabyte).toBeLessThan(8);
});
