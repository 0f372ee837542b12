import type { IncomingMessage, ServerResponse } from "node:http";
import { limiter, sessionSeconds } from "./accounts.ts";
import { customerOf, type Shop } from "./calls.ts";
import { cookieOf } from "./http.ts";
import { text } from "./input.ts";
import { badField, refusal } from "./refusal.ts";
import { forCustomer } from "./words.ts";

const cookie = "larkpost";
const minute = 60_000;
const guesses = limiter(5, minute);
const signUps = limiter(20, 60 * minute);

type Asked = { shop: Shop; body: Record<string, unknown>; request: IncomingMessage; response: ServerResponse };

export const whoAsks = (shop: Shop, request: IncomingMessage) => shop.sessions.whose(cookieOf(request, cookie));

function setCookie(response: ServerResponse, value: string, seconds: number) {
  response.setHeader("set-cookie", `${cookie}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax`);
}

function begin({ shop, request, response }: Asked, discordId: string) {
  shop.sessions.end(cookieOf(request, cookie));
  setCookie(response, shop.sessions.begin(discordId), sessionSeconds);
}

function refuseTooMany(wait: number) {
  if (wait > 0)
    throw refusal(429, "busy", `Too many tries. Try again in ${wait} ${wait === 1 ? "second" : "seconds"}.`, {
      retryAfter: wait,
    });
}

export const signingIn = {
  "POST /api/sign-in": async (asked: Asked) => {
    const { shop, body, request } = asked;
    const email = text(body, "email");
    const who = `${email.toLowerCase()} ${request.socket.remoteAddress}`;
    refuseTooMany(guesses.count(who));
    const account = await shop.accounts.check(email, String(body.password ?? ""));
    if (!account) throw refusal(401, "input", "E-mail and password do not match.");
    guesses.forget(who);
    begin(asked, account.discord_id);
    return {};
  },

  /** The demo's customers have no password, since they are only for trying the shop. */
  "POST /api/sign-in/demo": async (asked: Asked) => {
    const { shop, body } = asked;
    const discordId = text(body, "discordId");
    if (!shop.connection.customers.some((one) => one.discordId === discordId))
      throw refusal(404, "missing", "There is no such demo customer.");
    await customerOf(shop, discordId);
    begin(asked, discordId);
    return {};
  },

  "POST /api/sign-up": async (asked: Asked) => {
    const { shop, body, request } = asked;
    const [username, email] = [text(body, "username"), text(body, "email")];
    const password = typeof body.password === "string" ? body.password : "";
    if ([...username].length < 2 || [...username].length > 40) throw badField("username", "A name has 2 to 40 letters");
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) || email.length > 200)
      throw badField("email", "This does not look like an e-mail address");
    if (password.length < 8 || password.length > 128) throw badField("password", "Choose 8 to 128 characters");
    if (password.toLowerCase().includes(email.toLowerCase()) || password.toLowerCase() === username.toLowerCase())
      throw badField("password", "Choose something that is not your name or e-mail");
    if (shop.accounts.isTaken(email))
      throw badField("email", "There is an account with this e-mail already. Sign in instead.");
    refuseTooMany(signUps.count(request.socket.remoteAddress ?? ""));
    const discordId = await add(asked, { username, email, password });
    begin(asked, discordId);
    return {};
  },

  "POST /api/sign-out": async ({ shop, request, response }: Asked) => {
    shop.sessions.end(cookieOf(request, cookie));
    setCookie(response, "", 0);
    return {};
  },
};

/** Both here and at Footprint, or neither. */
async function add(
  { shop }: Asked,
  { username, email, password }: { username: string; email: string; password: string },
) {
  const discordId = await shop.accounts.add({ username, email, password }).catch((error: unknown) => {
    // Of two calls at once, one is first.
    if (shop.accounts.isTaken(email)) throw badField("email", "There is an account with this e-mail already.");
    throw error;
  });
  try {
    await shop.connection.ask((footprint) => footprint.putCustomer({ discordId, username, email }));
  } catch (error) {
    shop.accounts.remove(discordId);
    throw forCustomer(error);
  }
  return discordId;
}
