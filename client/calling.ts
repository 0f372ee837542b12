import { FootprintError, type Issue } from "./errors.ts";
import { readWhole, TooLong } from "./reading.ts";

export type Options = {
  /** Where Footprint is: `https://footprint.example.com`. */
  url: string | undefined;
  /** An API key, made on the Website screen of the panel. Keep it on a server: whoever has it sells as your shop. */
  key: string | undefined;
  /** The longest time for one try, in milliseconds; 30,000 by default. */
  timeout?: number | undefined;
  /** How often a call is repeated that got no answer, or was told to try later; 4 times by default. */
  retries?: number | undefined;
  /** Called for every failed try that is followed by another. */
  onRetry?: ((error: FootprintError) => void) | undefined;
  /** Replaces the platform's own. */
  fetch?: typeof fetch | undefined;
  /** Waits between two tries; for tests. */
  pause?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
};

/** What every call takes besides its input. */
export type CallOptions = {
  /** A new one for each thing that a customer does, kept until its answer came. Random by default. */
  idempotencyKey?: string | undefined;
  /** Ends the call and its retries: it rejects with the signal's reason. Whether a change was made is then unknown. */
  signal?: AbortSignal | undefined;
  /** The longest time for one try, in milliseconds. */
  timeout?: number | undefined;
  /** How often it is repeated. */
  retries?: number | undefined;
};

type Request = { method: string; url: string; headers: Headers; body: string | null; idempotencyKey?: string };
type Answer = { response: Response; bytes: Uint8Array<ArrayBuffer> };

/** More than any answer of Footprint has. */
const mostBytes = 64 * 1024 * 1024;
/** Longer pauses are left to the caller, who gets the error. */
const longestPause = 60_000;
const longestTimer = 2 ** 31 - 1;

/** Makes calls, repeating each with the same key until it is answered, so that it is done once. */
export class Caller {
  readonly #base: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;
  readonly #onRetry: (error: FootprintError) => void;
  readonly #pause: NonNullable<Options["pause"]>;

  constructor({ url, key, timeout = 30_000, retries = 4, onRetry = () => {}, pause = wait, ...options }: Options) {
    this.#base = addressOf(url);
    this.#key = key?.trim() ?? "";
    // The key itself is in no message, since messages end up in logs.
    if (!/^[\x21-\x7e]+$/.test(this.#key)) throw new TypeError("Give the API key as `key`: it is missing, or no key");
    this.#timeout = timeout;
    this.#retries = retries;
    this.#onRetry = onRetry;
    this.#pause = pause;
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
  }

  protected async call<T>(method: string, path: string, input: object, options: CallOptions = {}): Promise<T> {
    const request = this.#requestOf(method, path, input, options.idempotencyKey);
    return this.#untilAnswered(request, options, async (answer) => this.#objectIn(request, answer) as T);
  }

  protected async download(method: string, path: string, input: object, options: CallOptions = {}): Promise<File> {
    const request = this.#requestOf(method, path, input, options.idempotencyKey);
    return this.#untilAnswered(request, options, ({ response: { headers }, bytes }) => {
      const name = nameIn(headers.get("content-disposition") ?? "");
      return new File([bytes], name, { type: headers.get("content-type") ?? "" });
    });
  }

  protected pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return this.#pause(milliseconds, signal);
  }

  /** Path parameters go into the path; everything else into the query of a GET, or the body of other calls. */
  #requestOf(method: string, path: string, input: object, idempotencyKey = randomKey()): Request {
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const filled = path.replace(/:(\w+)/g, (_, name: string) => {
      const value = String(rest.get(name) ?? "");
      rest.delete(name);
      // "." and ".." would lead elsewhere.
      if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is missing, or cannot be part of an address`);
      return encodeURIComponent(value);
    });
    const headers = new Headers({ authorization: `Bearer ${this.#key}`, accept: "application/json" });
    if (method === "GET") {
      const query = new URLSearchParams(Array.from(rest, ([name, value]): [string, string] => [name, String(value)]));
      return { method, url: `${this.#base}${filled}${rest.size > 0 ? `?${query}` : ""}`, headers, body: null };
    }
    headers.set("content-type", "application/json");
    headers.set("idempotency-key", idempotencyKey);
    const body = JSON.stringify(Object.fromEntries(rest));
    return { method, url: this.#base + filled, headers, body, idempotencyKey };
  }

  async #untilAnswered<T>(request: Request, options: CallOptions, read: (answer: Answer) => T): Promise<Awaited<T>> {
    const { signal, retries = this.#retries } = options;
    let mayBeDone = false;
    for (let tries = 1; ; tries++) {
      try {
        signal?.throwIfAborted();
        return await read(await this.#answerTo(request, options));
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof FootprintError)) throw error;
        // Once an answer got lost, a later refusal does not tell whether the first try succeeded.
        mayBeDone ||= request.method !== "GET" && error.kind !== "refused" && error.status !== 429;
        error.mayBeDone = mayBeDone;
        const milliseconds = pauseAfter(tries, error.retryAfter);
        if (!error.isRetryable || tries > retries || milliseconds > longestPause) throw error;
        this.#onRetry(error);
        await this.pause(milliseconds, signal);
      }
    }
  }

  /** One try. Throws whatever is not a success. */
  async #answerTo(request: Request, { signal, timeout = this.#timeout }: CallOptions): Promise<Answer> {
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, Math.min(timeout, longestTimer));
    signal?.addEventListener("abort", end, { once: true });
    try {
      const { method, url, headers, body } = request;
      // Following a redirect would send the key to wherever it leads.
      const response = await this.#fetch(url, { method, headers, body, redirect: "manual", signal: ending.signal });
      const answer = { response, bytes: await readWhole(response.body, mostBytes) };
      if (!response.ok) throw this.#refusalIn(request, answer);
      return answer;
    } catch (cause) {
      if (cause instanceof FootprintError) throw cause;
      if (cause instanceof TooLong)
        throw this.#failure(request, "unreadable", `answered with ${cause.message}`, { isRetryable: false, cause });
      const why = ending.signal.aborted ? ` within ${timeout / 1000} s` : `: ${reasonOf(cause)}`;
      throw this.#failure(request, "unanswered", `did not answer${why}`, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    }
  }

  /** The error in the server's words. */
  #refusalIn(request: Request, { response, bytes }: Answer): FootprintError {
    const { status, headers } = response;
    // Some platforms hide the redirect's target.
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
      const to = headers.get("location") ?? "another address";
      const words = `leads to ${to}: give the address where Footprint itself answers as \`url\``;
      return this.#failure(request, "refused", words, { status, isRetryable: false });
    }
    const { message, issues } = parsed(bytes) ?? {};
    const retryAfter = secondsIn(headers.get("retry-after"));
    const kind = status === 429 || status === 503 ? "busy" : status >= 500 ? "failed" : "refused";
    const isRetryable = [429, 500, 502, 503, 504].includes(status);
    const more = { status, retryAfter, isRetryable, idempotencyKey: request.idempotencyKey };
    if (typeof message !== "string") return this.#failure(request, kind, `answered ${status}, without a message`, more);
    return new FootprintError(message, { ...more, kind, issues: Array.isArray(issues) ? (issues as Issue[]) : [] });
  }

  #objectIn(request: Request, { response, bytes }: Answer): Record<string, unknown> {
    const reply = parsed(bytes);
    if (reply) return reply;
    const { status } = response;
    throw this.#failure(request, "unreadable", `answered ${status} with something that is not Footprint's`, { status });
  }

  #failure(
    { url, idempotencyKey }: Request,
    kind: FootprintError["kind"],
    words: string,
    more: { status?: number; retryAfter?: number | undefined; isRetryable?: boolean; cause?: unknown },
  ) {
    const message = `${new URL(url).origin} ${words}`;
    return new FootprintError(message, { isRetryable: true, ...more, kind, idempotencyKey });
  }
}

const randomKey = (): string => crypto.randomUUID();

function addressOf(text = ""): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new TypeError("Give the address of a Footprint as `url`, and nothing else: https://footprint.example.com");
  return url.href.replace(/\/+$/, "");
}

/** A JSON object; undefined for anything else. */
function parsed(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && !Array.isArray(value) ? ((value ?? undefined) as never) : undefined;
  } catch {
    return undefined;
  }
}

/** The cause behind a platform's `fetch failed`. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  return cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message;
}

/** `Retry-After` is a number of seconds or a date. */
function secondsIn(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

/** Growing pauses, randomised so that two who failed together do not return together. */
function pauseAfter(tries: number, retryAfter: number | undefined): number {
  const growing = 500 * 2 ** Math.min(tries - 1, 6);
  return retryAfter === undefined ? growing * (0.5 + Math.random() / 2) : retryAfter * 1000 + Math.random() * 500;
}

/** A file name without a path, since some callers will write the file there. */
function nameIn(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1] ?? "";
  const name = decoded(encoded) || (/filename="([^"]*)"/i.exec(disposition)?.[1] ?? "");
  const [last = ""] = name.split(/[/\\\0]/).slice(-1);
  return /^\.{0,2}$/.test(last) ? "file" : last;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
  });
}
