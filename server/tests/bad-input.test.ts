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

// BAD_INPUT_RUNS=3000 throws thousands at every call; BAD_INPUT_SEED repeats what failed.
/** Of what is refused without exception, which may leave no trace; and of anything, of which some gets further. */
const batches = { refused: 8, any: 15 };
const perRound = batches.refused + batches.any;
const runs = Number(process.env.BAD_INPUT_RUNS ?? perRound);
const seed = Number(process.env.BAD_INPUT_SEED ?? 7400);
const timeout = 60_000 + runs * 100;
/** Before the test is given up: a failure is to be printed with its seed, however long it took to make it small. */
const interruptAfterTimeLimit = timeout - 30_000;

const calls = Object.entries(features).flatMap(([name, { feature }]) =>
  Object.values(feature).map((call: Endpoint) => ({ feature: name, call, method: call.method, path: call.path })),
);

let known: (feature: string) => Known;
let admin: { id: string };
type Tokens = { operator: string; shop: string };
let tokens: Tokens;
/** Every test begins with them. */
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
  // Without a boundary, so that input reaches what the builders made.
  shop: await db.transaction((tx) => createKey(tx, { name: "Bad shop", bounded: false })),
});

/** Of searches, and of what works through whole files, no more than these may wait for one caller. */
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
      // What has no end is looked at by its beginning.
      const isEndless = call.reply === eventStream && response.statusCode === 200;
      const received = Buffer.concat(isEndless ? await once(response, "data") : await response.toArray());
      if (isEndless) response.destroy();
      const text = String(response.headers["content-encoding"] === "gzip" ? gunzipSync(received) : received);
      done({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text });
    });
    request.end(body);
  });
}

/** Some input is a valid sign-out, or deletes the key it came with: whoever is shut out by it comes back in. */
async function askSignedIn(call: Endpoint, input: BadInput): Promise<Answer> {
  const answer = await ask(call, input);
  if (answer.status !== 401 || call.access === "public") return answer;
  tokens = await signIn();
  return ask(call, input);
}

const isExport = ({ path }: Endpoint) => path.endsWith("/export");

const askAtOnce = (call: Endpoint, inputs: BadInput[]) => Promise.all(inputs.map((input) => askSignedIn(call, input)));

/** An account may export one thing at a time. */
async function askOneByOne(call: Endpoint, inputs: BadInput[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const input of inputs) answers.push(await askSignedIn(call, input));
  return answers;
}

const { confirm, changePassword, beginTwoStep, disableTwoStep, newRecoveryCodes } = session;
const takePassword = new Set<Endpoint>([confirm, changePassword, beginTwoStep, disableTwoStep, newRecoveryCodes]);

/** They write down what they refuse of what the contract allows: it cannot be done any more, or not by who asks. */
const keepRecord = new Set<Endpoint>([approvals.approve, approvals.decline]);

/** All that the database holds; but a wrong password is noted among the failed sign-ins, and in the log. */
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
    // Who exports something leaves an entry in the log.
    const leavesNothing = call.method === "GET" && !isExport(call);
    let isFirst = true;
    let hasLeftSomething = false;
    const property = fc.asyncProperty(hopeless, batch(inputs, batches.any), async (...sents) => {
      // What came before may have signed us out.
      if (!isFirst) tokens = await signIn();
      isFirst = false;
      const before = await lasting(call);
      for (const [place, sent] of sents.entries()) {
        const answers = await (isExport(call) ? askOneByOne : askAtOnce)(call, sent);
        const problems = answers.flatMap((answer, index) => problemsOf(call, sent[index] as BadInput, answer));
        expect(problems).toEqual([]);
        const isLast = place === 1;
        // Where nothing at all may be left, one look at the end sees it.
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
    // Of most calls a few inputs show it.
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
  // Some 450 requests: what each of them may leave behind is 18 kB, a fraction of what it carries.
  expect((after - before) / megabyte).toBeLessThan(8);
});
