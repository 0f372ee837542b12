import type { ChatProvider } from "@footprint/contract/notices.ts";
import type { Chat } from "../config.ts";

/** A provider's answer to a message; `retryAfter` in seconds, if it asked for that. */
export type Answer = { sent: boolean; status: number | null; answer: string; retryAfter: number };

type Provider = {
  /** The longest text it accepts, or a little less. */
  longest: number;
  /** Keeps other people's text from formatting, mentioning or linking anything. */
  harmless: (foreign: string) => string;
  send: (ask: Ask, to: string, text: string) => Promise<Reply>;
  /** Whether an answer of 2xx is really the provider's: anything else at its address may say 200 too. */
  hasTaken: (answer: Json) => boolean;
};

type Ask = (path: string, body: object) => Promise<Reply>;
type Reply = { status: number; text: string; json: Json; retryAfter: number };
type Json = { ok?: boolean; id?: string; retry_after?: number; parameters?: { retry_after?: number } };

/** One line, and not too long. */
const plain = (foreign: string) => {
  const line = foreign.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const letters = [...line];
  return letters.length > 80 ? `${letters.slice(0, 79).join("")}…` : line;
};

/** Invisible. After it, nothing is read as part of a link, a mention, a command or a tag. */
const wordJoiner = "\u2060";

const providers: Record<ChatProvider, Provider> = {
  telegram: {
    longest: 4_000,
    harmless: (foreign) => plain(foreign).replace(/[@#$/.:]/g, `$&${wordJoiner}`),
    // Without parse_mode nothing is formatted.
    send: (ask, to, text) => ask("/sendMessage", { chat_id: to, text, link_preview_options: { is_disabled: true } }),
    hasTaken: ({ ok }) => ok === true,
  },
  discord: {
    longest: 1_950,
    harmless: (foreign) => plain(foreign).replace(/[!-/:-@[-`{-~]/g, "\\$&"),
    async send(ask, to, text) {
      // Without link previews.
      const message = { content: text, allowed_mentions: { parse: [] }, flags: 4 };
      if (!/^\d{1,25}$/.test(to)) return noReply("A Discord id has digits only");
      const known = conversations.get(to);
      const reply = await ask(`/channels/${known ?? to}/messages`, message);
      if (reply.status !== 404 || known) return reply;
      // The id is no channel, so it is a person, with whom a conversation has to be opened first.
      const opened = await ask("/users/@me/channels", { recipient_id: to });
      const { id } = opened.json;
      if (opened.status >= 300 || !id || !/^\d{1,25}$/.test(id)) return opened.status >= 300 ? opened : reply;
      conversations.set(to, id);
      return ask(`/channels/${id}/messages`, message);
    },
    hasTaken: ({ id }) => typeof id === "string",
  },
};

/** Discord's conversations by the person's id. */
const conversations = new Map<string, string>();

export const providerOf = ({ provider }: Chat) => providers[provider];

const noReply = (text: string): Reply => ({ status: 0, text, json: {}, retryAfter: 0 });

/**
 * Characters of an answer that are read and kept. Telegram repeats the text, with six characters for each that is not
 * ASCII.
 */
const most = { read: 65_536, kept: 500 };
/** Even if a provider asks for a longer pause. */
const longestRest = 86_400;

/** Sends a text to a chat. Never throws: a failure is an answer too. No answer contains the token. */
export async function sendText(chat: Chat, patience: number, to: string, text: string): Promise<Answer> {
  // One limit for all requests, so that a caller never waits longer.
  const signal = AbortSignal.timeout(patience);
  const headers: Record<string, string> = { "content-type": "application/json", "user-agent": "Footprint" };
  if (chat.provider === "discord") headers.authorization = `Bot ${chat.token}`;
  const base = chat.provider === "telegram" ? `${chat.api}/bot${chat.token}` : chat.api;
  const ask: Ask = async (path, body) => {
    const response = await fetch(base + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    });
    const answered = await beginning(response);
    const json = parsed(answered);
    const wait = json.retry_after ?? json.parameters?.retry_after ?? Number(response.headers.get("retry-after"));
    return {
      status: response.status,
      text: answered,
      json,
      retryAfter: wait > 0 ? Math.min(Math.ceil(wait), longestRest) : 0,
    };
  };
  const kept = (words: string) => words.replaceAll(chat.token, "***").slice(0, most.kept);
  try {
    const { send, hasTaken } = providerOf(chat);
    const { status, text: answer, json, retryAfter } = await send(ask, to, text);
    const sent = status >= 200 && status < 300 && hasTaken(json);
    return { sent, status: status || null, answer: kept(answer), retryAfter: status === 429 ? retryAfter : 0 };
  } catch (error) {
    return { sent: false, status: null, answer: kept(whyNot(error)), retryAfter: 0 };
  }
}

async function beginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= most.read) break;
  }
  return text.slice(0, most.read);
}

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Without the address, which may contain the token. */
function whyNot(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  if (name === "TimeoutError") return "No answer in time";
  return cause?.code ? `No connection (${cause.code})` : "No connection";
}
