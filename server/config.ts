import { isIP } from "node:net";
import { type ChatProvider, chatProviders } from "@footprint/contract/notices.ts";
import { isReservedName, usernamePattern } from "@footprint/contract/staff.ts";
import { urlsOf } from "./db/hosts.ts";

export type Config = ReturnType<typeof readConfig>;

/** A mistake by whoever started the program: shown as one line, without a stack. */
export class StartError extends Error {}

type Environment = Record<string, string | undefined>;

/** Reads and checks every variable at once, so that a wrong one is named before anything is touched. */
export function readConfig(env: Environment) {
  const value = (name: string) => env[name]?.trim() || undefined;
  const production = value("NODE_ENV") === "production";
  const databaseUrl = parsed("DATABASE_URL", value, isPostgresUrl, "postgres://user:password@host:5432/database");
  return {
    production,
    port: wholeNumber("PORT", value, 7400, 65_535),
    host: value("HOST") ?? "127.0.0.1",
    databaseUrl,
    readDatabaseUrl: besidePrimary("READ_DATABASE_URL", value, databaseUrl),
    directDatabaseUrl: besidePrimary("DIRECT_DATABASE_URL", value, databaseUrl),
    dataDir: value("DATA_DIR") ?? "./data",
    adminUsername: parsed("ADMIN_USERNAME", value, isUsername, usernameRule) ?? "admin",
    adminPassword: parsed("ADMIN_PASSWORD", (name) => env[name] || undefined, isLongEnough, "8 to 128 characters"),
    demo: choice("DEMO", value, ["on", "off"], databaseUrl || production ? "off" : "on") === "on",
    timezone: parsed("BUSINESS_TIMEZONE", value, isTimezone, "a zone such as UTC or America/Chicago") ?? "UTC",
    panelOrigins: origins("PANEL_ORIGINS", value),
    apiHost: origins("API_HOST", value)[0],
    logLevel: choice("LOG_LEVEL", value, ["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info"),
    trustProxy: trustedProxies(value("TRUST_PROXY")),
    webhookPrivate: choice("WEBHOOK_PRIVATE", value, ["on", "off"], "off") === "on",
    metricsKey: parsed("METRICS_KEY", value, isKey, "20 to 200 letters, digits or punctuation marks"),
    chat: chat(value),
    shutdownDelay: wholeNumber("SHUTDOWN_DELAY", value, 0, 600),
    backups: backups(value),
    backupKeys: backupKeys(value),
    traces: traces(value),
    archives: archives(value),
    timeouts,
  };
}

/** Standbys to read from, or the address past a pooler: only PostgreSQL on a server has these. */
function besidePrimary(name: string, read: Read, databaseUrl: string | undefined): string | undefined {
  const url = parsed(name, read, isUrlOfPostgres, "postgres://user:password@host:5432/database");
  if (url && !databaseUrl) throw new StartError(`${name} needs DATABASE_URL beside it.`);
  return url;
}

/** How many calls are traced; undefined if none are. The library reads everything else from the environment. */
export type Traces = { sampler: (typeof samplers)[number]; ratio: number };

const roots = ["always_on", "always_off", "traceidratio"] as const;
const samplers = [...roots, ...roots.map((name) => `parentbased_${name}` as const)];

function traces(read: Read): Traces | undefined {
  const endpoint = "the address of an OTLP receiver, such as http://127.0.0.1:4318";
  const isOn = parsed("OTEL_EXPORTER_OTLP_ENDPOINT", read, isAddress, endpoint);
  choice("OTEL_EXPORTER_OTLP_PROTOCOL", read, ["http/json"], "http/json");
  const sampler = choice("OTEL_TRACES_SAMPLER", read, samplers, "parentbased_always_on");
  const ratio = parsed("OTEL_TRACES_SAMPLER_ARG", read, isRatio, "a number from 0 to 1") ?? "1";
  const isDisabled = choice("OTEL_SDK_DISABLED", read, ["true", "false"], "false") === "true";
  return isOn && !isDisabled ? { sampler, ratio: Number(ratio) } : undefined;
}

const isRatio = (text: string) => /^\d*\.?\d+$/.test(text) && Number(text) <= 1;

/** The bot that sends messages to staff; undefined if there is none. */
export type Chat = { provider: ChatProvider; token: string; api: string };

const chatApis: Record<ChatProvider, string> = {
  telegram: "https://api.telegram.org",
  discord: "https://discord.com/api/v10",
};

function chat(read: Read): Chat | undefined {
  const provider = read("CHAT_PROVIDER") && choice("CHAT_PROVIDER", read, chatProviders, "telegram");
  const token = parsed("CHAT_TOKEN", read, isToken, "the token that the provider gave your bot");
  const api = parsed(
    "CHAT_API",
    read,
    isAddress,
    "the address of the provider's API, such as https://api.telegram.org",
  );
  if (!provider && !token) return undefined;
  if (!provider) throw new StartError("CHAT_TOKEN needs CHAT_PROVIDER beside it: telegram or discord.");
  if (!token) throw new StartError("CHAT_PROVIDER needs CHAT_TOKEN beside it: the token that it gave your bot.");
  return { provider, token, api: (api ?? chatApis[provider]).replace(/\/+$/, "") };
}

/** The automatic backups; undefined if there are none. */
export type Backups = {
  /** In seconds. */
  every: number;
  folder: string;
  /** The last backup of so many days, and of so many weeks, is kept. */
  days: number;
  weeks: number;
};

const secondsIn = { s: 1, m: 60, h: 3_600, d: 86_400 };

function backups(read: Read): Backups | undefined {
  const [, amount, unit] =
    /^(\d+)([smhd])$/.exec(parsed("BACKUP_EVERY", read, isSpan, "how often, such as 30m, 6h or 1d") ?? "") ?? [];
  const keep = parsed("BACKUP_KEEP", read, (text) => keptPattern.test(text), "days and weeks such as 7d4w") ?? "7d4w";
  const [, days, weeks] = keptPattern.exec(keep) ?? [];
  if (!amount) return undefined;
  return {
    every: Number(amount) * secondsIn[unit as keyof typeof secondsIn],
    folder: read("BACKUP_DIR") ?? "./backups",
    days: Number(days),
    weeks: Number(weeks),
  };
}

const isSpan = (text: string) => /^[1-9]\d{0,5}[smhd]$/.test(text);
const keptPattern = /^([1-9]\d{0,2})d(\d{1,3})w$/;

/** The keys that backups are encrypted for, and that open them, in the age format. */
export type BackupKeys = {
  recipients: string[];
  identities: string[];
  passphrase: string | undefined;
};

function backupKeys(read: Read): BackupKeys | undefined {
  const key = parsed(
    "BACKUP_KEY",
    read,
    isRecipients,
    "keys of the age format, such as age1…, with commas between them",
  );
  const identity = parsed("BACKUP_IDENTITY", read, isIdentity, "a secret key of the age format: AGE-SECRET-KEY-1…");
  const passphrase = parsed("BACKUP_PASSPHRASE", read, isPassphrase, "12 to 1,000 characters");
  if (key && passphrase) throw new StartError("BACKUP_KEY and BACKUP_PASSPHRASE do not go together: leave one out.");
  if (!key && !identity && !passphrase) return undefined;
  return { recipients: key?.split(/[\s,]+/) ?? [], identities: identity ? [identity] : [], passphrase };
}

const isRecipients = (text: string) => text.split(/[\s,]+/).every((key) => /^age1[a-z0-9]{50,}$/.test(key));
const isIdentity = (text: string) => /^AGE-SECRET-KEY-(PQ-)?1[A-Z0-9]{50,}$/.test(text);
const isPassphrase = (text: string) => text.length >= 12 && text.length <= 1_000;

/** Where archives of the log go, and how long entries are kept, as an SQL interval; undefined if all are kept. */
export type Archives = { folder: string; keep: string | undefined };

function archives(read: Read): Archives {
  const span = parsed(
    "LOG_RETENTION",
    read,
    isRetention,
    "how long the log is kept, a year or more, such as 400d or 7y",
  );
  const [, amount, unit] = retentionPattern.exec(span ?? "") ?? [];
  const keep = amount && `${amount} ${unit === "y" ? "years" : "days"}`;
  return { folder: read("ARCHIVE_DIR") ?? "./archive", keep };
}

const retentionPattern = /^([1-9]\d{0,4})([dy])$/;

/** Checked strictly: a typing mistake must not remove records that people may be asked about. */
function isRetention(text: string): boolean {
  const [, amount, unit] = retentionPattern.exec(text) ?? [];
  return unit === "y" ? Number(amount) <= 100 : Number(amount) >= 365 && Number(amount) <= 36_500;
}

/** How long anything is waited for, in milliseconds. These are not variables; only tests are less patient. */
export const timeouts = {
  /** For a client to send the head of a request, or all of it. */
  headers: 30_000,
  request: 120_000,
  /** For a client to read its answer; checking the books of a large business is the longest silence. */
  inactivity: 600_000,
  /** For a connection to the database, and for its answer; long work sets its own limit. */
  connect: 5_000,
  statement: 5_000,
  /** For its answer to a health check. */
  ready: 2_000,
  /** For a chat provider to take a message. */
  chat: 15_000,
};

type Read = (name: string) => string | undefined;

const secret = [
  ...["DATABASE_URL", "READ_DATABASE_URL", "DIRECT_DATABASE_URL", "ADMIN_PASSWORD", "METRICS_KEY", "CHAT_TOKEN"],
  ...["BACKUP_IDENTITY", "BACKUP_PASSPHRASE"],
];

function wrong(name: string, text: string, expected: string): never {
  // A URL may hold a password, so secrets are never shown.
  const shown = secret.includes(name) ? "not valid" : `"${text}"`;
  throw new StartError(`${name} is ${shown}: set it to ${expected}, or leave it out.`);
}

function parsed(name: string, read: Read, valid: (text: string) => boolean, expected: string): string | undefined {
  const text = read(name);
  if (text !== undefined && !valid(text)) wrong(name, text, expected);
  return text;
}

function wholeNumber(name: string, read: Read, fallback: number, max: number): number {
  const valid = (text: string) => /^\d{1,9}$/.test(text) && Number(text) <= max;
  return Number(parsed(name, read, valid, `a whole number up to ${max}`) ?? fallback);
}

function choice<const C extends string>(name: string, read: Read, choices: readonly C[], fallback: C): C {
  const text = read(name) ?? fallback;
  return choices.find((known) => known === text) ?? wrong(name, text, `one of ${choices.join(", ")}`);
}

function origins(name: string, read: Read): string[] {
  const list = read(name)?.split(/[\s,]+/) ?? [];
  return list.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || !isHost(url.hostname))
      return wrong(name, text, "an origin such as https://panel.example.com");
    return url.origin;
  });
}

/** Never all addresses: a trusted proxy may claim any address for its callers. */
function trustedProxies(text: string | undefined): false | string {
  if (text === undefined || text === "off") return false;
  if (text.split(",").every((address) => isNetwork(address.trim()))) return text;
  return wrong("TRUST_PROXY", text, "the addresses of the proxies in front, such as 10.0.0.5 or 10.0.0.0/8");
}

/** The value goes into headers, where a star or a semicolon would have a meaning. */
const isHost = (text: string) => /^([a-z0-9.-]+|\[[\da-f:.]+\])$/i.test(text);

const isUrlOfPostgres = (text: string) =>
  urlsOf(text).every((url) => URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol));
/** May name several hosts, of which the one that takes changes is used. */
const isPostgresUrl = (text: string) =>
  isUrlOfPostgres(text) && !/[?&]target_session_attrs=(?!(read-write|primary|any)(&|$))/.test(text);
const isUsername = (text: string) => usernamePattern.test(text) && !isReservedName(text);
const usernameRule = "3 to 32 letters, digits, . _ or -, and not a name of the program's own such as system";
const isLongEnough = (text: string) => text.length >= 8 && text.length <= 128;

/** The value goes into an address or a header. */
const isToken = (text: string) => /^[\w:.-]{10,200}$/.test(text);

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && !username && !password && !search && !hash;
}

const isKey = (text: string) => /^[\x21-\x7e]{20,200}$/.test(text);

/** An address, or a range such as 10.0.0.0/8: wider ranges would include strangers. */
function isNetwork(text: string): boolean {
  const [, address = "", given] = /^([^/]*)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return false;
  const most = version === 4 ? 32 : 128;
  // A range that begins with zeros may be IPv4 in IPv6 form, with 96 bits in front.
  const least = version === 4 ? 8 : /^[0:]+:/.test(address) ? 104 : 16;
  const bits = Number(given ?? most);
  return bits >= least && bits <= most;
}

/** Named by place: for offsets and short names such as IST, PostgreSQL and this program disagree. */
function isTimezone(text: string): boolean {
  if (!/^(UTC|[A-Z].*\/.+)$/i.test(text)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: text }));
  } catch {
    return false;
  }
}
