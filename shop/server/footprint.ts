import { Footprint, FootprintError } from "@footprint/client";
import { type Config, type DemoCustomer, readDemo } from "./config.ts";
import { type Refusal, refusal } from "./refusal.ts";

/** The state of the connection to Footprint. */
export type Standing = "ready" | "unreachable" | "no-key" | "key-refused";

/** A customer is waiting, so a failure should come soon. */
const patience = { timeout: 10_000, retries: 2 };
const lookEvery = { ready: 5_000, else: 1_500 };

export type Connection = ReturnType<typeof connect>;

/** The only way to Footprint, and its state. */
export function connect(config: Config) {
  let key: string | undefined;
  let client: Footprint | undefined;
  let standing: Standing = "unreachable";
  const listeners = new Set<() => void>();

  /** The demo's key may come, go and change while the shop runs. */
  function takeKey() {
    const found = config.key ?? readDemo(config)?.key;
    if (found === key) return;
    key = found;
    try {
      client = found ? new Footprint({ url: config.url, key: found, ...patience }) : undefined;
    } catch {
      // Text that is no key at all.
      client = undefined;
      turn("key-refused");
    }
  }

  function turn(next: Standing) {
    if (next === standing) return;
    standing = next;
    for (const listener of listeners) listener();
  }

  async function look() {
    if (standing !== "ready") takeKey();
    if (!client) return void turn((await isThere()) ? (key ? "key-refused" : "no-key") : "unreachable");
    await ask((footprint) => footprint.paymentSettings({}, { timeout: 4_000, retries: 0 })).catch(() => {});
  }

  /** Whether Footprint answers at all; refusing a missing key is an answer. */
  async function isThere(): Promise<boolean> {
    const stranger = new Footprint({ url: config.url, key: "none", timeout: 4_000, retries: 0 });
    const answer = await stranger.paymentSettings().catch((error: unknown) => standingIn(error));
    return answer !== "unreachable";
  }

  /** Calls Footprint, and notes whether it answered. */
  async function ask<T>(work: (footprint: Footprint) => Promise<T>): Promise<T> {
    if (!client) takeKey();
    if (!client) throw shut(standing === "ready" ? "no-key" : standing);
    const asked = client;
    try {
      const answer = await work(asked);
      if (asked === client) turn("ready");
      return answer;
    } catch (error) {
      const found = standingIn(error);
      if (asked === client && found) turn(found);
      if (found && found !== "ready") throw shut(found, error);
      throw error;
    }
  }

  let timer: NodeJS.Timeout;
  const looking = async () => {
    await look();
    timer = setTimeout(looking, standing === "ready" ? lookEvery.ready : lookEvery.else).unref();
  };

  return {
    ask,
    get standing() {
      return standing;
    },
    /** The customers that can be used without a password, only with the demo's key. */
    get customers(): DemoCustomer[] {
      return config.key ? [] : (readDemo(config)?.customers ?? []);
    },
    get client() {
      return client;
    },
    get key() {
      return key;
    },
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start: () => looking(),
    stop: () => clearTimeout(timer),
  };
}

/** What an error says about the connection; undefined if it is about the call. */
function standingIn(error: unknown): Standing | undefined {
  if (!(error instanceof FootprintError)) return undefined;
  if (error.status === 401) return "key-refused";
  if (error.kind === "unanswered" || error.kind === "unreadable") return "unreachable";
  if ([502, 504].includes(error.status)) return "unreachable";
  return "ready";
}

const words: Record<Exclude<Standing, "ready">, string> = {
  unreachable: "The shop cannot reach its back office right now. It goes on by itself as soon as it can.",
  "no-key": "This shop has no key to its back office yet.",
  "key-refused": "The back office does not accept this shop's key.",
};

function shut(standing: Exclude<Standing, "ready">, cause?: unknown): Refusal {
  const mayBeDone = cause instanceof FootprintError && cause.mayBeDone;
  return refusal(503, standing, words[standing], { mayBeDone });
}
