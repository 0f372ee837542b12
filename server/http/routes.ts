import type { ServerResponse } from "node:http";
import type { Download, Endpoint, Feature, Parsed, Result } from "@footprint/contract/endpoint.ts";
import { eventStream } from "@footprint/contract/events.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { download, outcomes } from "@footprint/contract/schemas.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import type { Shop } from "../accounts/api-keys.ts";
import { noteRead } from "../accounts/reads.ts";
import type { Actor } from "../accounts/sessions.ts";
import type { Seen } from "../accounts/versions.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { onOneConnection } from "../db/one-connection.ts";
import type { Events } from "../events/events.ts";
import type { Outbox } from "../outbox/numbering.ts";
import { admit, admitAgain, type Caller, confirmAndRead, presume, presumeShop } from "./callers.ts";
import { compressLong } from "./compression.ts";
import { discard, type InTurn, receiveForm, sendFile, type Upload } from "./files.ts";
import { panelOrigin } from "./headers.ts";
import { Replay, type Several, type Together, type Transact, transactions } from "./idempotency.ts";
import { seenVersions } from "./if-match.ts";
import { parse, readJson } from "./input.ts";
import { Later, waitUnlessGone } from "./later.ts";
import {
  refuseIfGone,
  whenItMayBegin,
  whenItsRowsTurn,
  whenItsTurn,
  whenItsTurnToRead,
  whenItsTurnToStore,
  whenTheThreadIsFree,
} from "./overload.ts";
import { isPlainRead, readFromStandby } from "./standbys.ts";
import { Written } from "./written.ts";

/** What every handler may use. */
export type Services = {
  db: Database;
  config: Config;
  /** The clock for calendar periods. */
  now: () => Date;
  /** Live updates for open panels. */
  events: Events;
  /** Business events for shops, webhooks and staff. */
  outbox: Outbox;
};

type Context<E extends Endpoint> = Services & {
  params: Parsed<E, "params">;
  query: Parsed<E, "query">;
  body: Parsed<E, "body">;
  /** The caller. */
  actor: E["access"] extends "public" ? undefined : E["access"] extends "storefront" ? Shop : Actor;
  /** All changes are made in it. */
  transaction: Transact<E>;
  /** The same for each of several rows. */
  several: Several;
  /** The same for calls that are made together. */
  together: Together<E>;
  /** What was uploaded with the call, waiting to be attached. */
  file: Upload | undefined;
  /** The versions that the caller's edit started from. */
  seen: Seen;
  /** Where the call came from, as far as the configured proxies can be trusted. */
  address: string;
  /** Where the calling panel was opened, if that is one of ours. */
  origin: string | undefined;
  /** What the caller's program calls itself. */
  userAgent: string;
  /** Ends a call of several steps if the caller has hung up. */
  refuseIfGone: () => void;
};

type Handlers<F extends Feature> = {
  [K in keyof F]: (context: Context<F[K]>) => Promise<Result<F[K]> | Later<Result<F[K]>> | Replay | Written>;
};

export type Routes = { feature: Feature; register(app: FastifyInstance, services: Services): void };

/** Connects a feature's calls with their handlers. */
export function routes<F extends Feature>(feature: F, handlers: Handlers<F>): Routes {
  return {
    feature,
    register(app, services) {
      for (const name in feature) {
        const handler = handlers[name] as (context: Context<Endpoint>) => Promise<unknown>;
        registerCall(app, services, feature[name] as Endpoint, handler);
      }
    },
  };
}

function registerCall(
  app: FastifyInstance,
  services: Services,
  call: Endpoint,
  handler: (context: Context<Endpoint>) => Promise<unknown>,
) {
  const actors = new WeakMap<FastifyRequest, Caller>();
  /** Calls whose caller still has to be confirmed. */
  const presumed = new WeakMap<FastifyRequest, Actor>();
  /** The same for shops, who are told nothing before that. */
  const presumedShops = new WeakSet<FastifyRequest>();
  app.route({
    method: call.method,
    url: call.path,
    // HEAD would do all the work of GET.
    exposeHeadRoute: false,
    // Bodies are kept in memory until complete.
    bodyLimit: call.maxBytes ?? (call.access === "public" ? 16 : 32) * 1024,
    // Before the body is received, so that a stranger's input is never read.
    async onRequest(request, reply) {
      if (call.access === "public") return;
      const actor = presume(services.db, request, reply, call);
      if (actor) presumed.set(request, actor);
      const shop = presumeShop(request, reply, call);
      if (shop) presumedShops.add(request);
      actors.set(request, actor ?? shop ?? (await admit(services.db, request, reply, call)));
    },
    onSend: discardTheRest,
    async handler(request, reply) {
      const actor = actors.get(request) as Actor;
      let head: ReturnType<typeof readHead>;
      try {
        head = readHead(call, request);
      } catch (error) {
        // A caller who is not let in does not learn what is wrong with their input.
        if (presumed.has(request) || presumedShops.has(request)) await admit(services.db, request, reply, call);
        throw error;
      }
      const { params, query, seen } = head;
      const storeInTurn: InTurn = (work) => whenItsTurnToStore(actor, reply, work);
      const form =
        call.upload && request.isMultipart()
          ? await receiveForm(services.db, request, call.upload, storeInTurn)
          : undefined;
      const inTurn: InTurn = (work) =>
        call.reply === outcomes ? whenItMayBegin(actor, reply, work) : whenItsTurn(call, actor, request, reply, work);
      const rowInTurn: InTurn = (work) => whenItsRowsTurn(actor, reply, work);
      const onThread = <T>(work: () => T) => whenTheThreadIsFree(actor, request, reply, work, call.together);
      try {
        let status: number = call.status ?? 200;
        const finish = async (result: unknown) => {
          if (result instanceof Later) return result as Later<unknown>;
          if (result instanceof Replay && form?.file) await discard(services.db, form.file);
          await noteRead(services, call, actor, result);
          if (call.mayAsk && isAsked(result)) status = 202;
          if (call.reply === download) return result as Download;
          if (call.reply === eventStream) return result as OpenStream;
          return compressLong(request, reply, await onThread(() => writeReply(call, result)));
        };
        let answer = await inTurn(async () => {
          const readBody = () =>
            parse(call.body, form ? form.fields : readJson(request.body as Buffer | undefined), "body");
          const body = form || request.body ? await onThread(readBody) : readBody();
          // Some calls with a body make no transaction, which would check the caller again.
          if (actor && call.body && !call.idempotent) await admitAgain(services.db, request, call, actor);
          const context = {
            ...services,
            params,
            query,
            body,
            actor,
            ...transactions(services.db, call, request, body, form?.file, actors.get(request), rowInTurn),
            file: form?.file,
            seen,
            address: request.address,
            origin: panelOrigin(request, services.config),
            userAgent: request.headers["user-agent"] ?? "",
            refuseIfGone: () => refuseIfGone(reply),
          };
          const answerWith = (db: Database) => handler({ ...context, db });
          const read = () =>
            readFromStandby(services.db, call, (db) =>
              isPlainRead(call, request) ? onOneConnection(db, () => answerWith(db)) : answerWith(db),
            );
          const unconfirmed = presumed.get(request);
          if (!unconfirmed) return finish(await read());
          presumed.delete(request);
          return finish(await confirmAndRead(services.db, request, call, unconfirmed, read));
        });
        const stillAllowed = async () => actor && admitAgain(services.db, request, call, actor);
        while (answer instanceof Later) {
          const { goOn } = answer;
          const waited = waitUnlessGone(reply, answer);
          // What ends the caller's access ends the wait, but only if it has begun by then.
          await Promise.race([waited, inTurn(stillAllowed).then(() => waited)]);
          answer = await inTurn(() => stillAllowed().then(goOn).then(finish));
        }
        if (typeof answer === "string" || Buffer.isBuffer(answer)) return sendJson(reply, status, answer);
        if (typeof answer === "function") return stream(reply, answer);
        const readOn: InTurn = (work) => whenItsTurnToRead(actor, reply, () => inTurn(() => stillAllowed().then(work)));
        return sendFile(reply, { ...answer, content: readInTurn(answer.content, readOn) });
      } catch (error) {
        if (form?.file) await discard(services.db, form.file);
        if (presumedShops.has(request)) await admit(services.db, request, reply, call);
        throw error;
      }
    },
  });
}

/** The caller, and what the headers say, before the body. */
function readHead(call: Endpoint, request: FastifyRequest) {
  const params = parse(call.params, request.params, "params");
  const query = parse(call.query, request.query, "query");
  const seen = seenVersions(call, request);
  if (isCompressed(request)) throw refusal(415, "Send the request without compression");
  if (request.isMultipart() && !call.upload) throw refusal(415, "Send the request as application/json");
  return { params, query, seen };
}

/** Nothing is decompressed here, so compressed bodies are refused. */
const isCompressed = ({ headers }: FastifyRequest) =>
  !/^(identity)?$/i.test(headers["content-encoding"] ?? "") ||
  !/^(chunked)?$/i.test(headers["transfer-encoding"] ?? "");

/**
 * What a sender who was answered early may still send, to be thrown away. Many would not read the answer if they were
 * cut off at once.
 */
const patience = 20 * 1024 * 1024;

async function discardTheRest({ raw }: FastifyRequest) {
  if (raw.complete) return;
  let bytes = 0;
  raw.unpipe();
  raw.on("data", (data: Buffer) => {
    bytes += data.length;
    if (bytes > patience) raw.destroy();
  });
  raw.resume();
}

/** The reply schema is the presenter: a field it does not name never leaves the server. */
const writeReply = (call: Endpoint, result: unknown): string =>
  result instanceof Written
    ? result.text()
    : JSON.stringify(result instanceof Replay ? result.reply : z.encode(call.reply, result));

/** Whether the answer is a request for approval, made now or when the same call was made first. */
const isAsked = (result: unknown) =>
  ((result instanceof Replay ? result.reply : result) as { request?: object }).request !== undefined;

const sendJson = (reply: FastifyReply, status: number, body: string | Buffer) =>
  reply.code(status).header("cache-control", "no-store").type("application/json; charset=utf-8").send(body);

type OpenStream = (response: ServerResponse) => void;

/** Continues after the call: from here on the connection belongs to the stream. */
function stream(reply: FastifyReply, open: OpenStream): FastifyReply {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value) reply.raw.setHeader(name, value);
  open(reply.raw);
  return reply.hijack();
}

/** Each piece is read in the caller's turn, so many downloads of one caller delay only each other. */
function readInTurn(content: Download["content"], inTurn: InTurn): Download["content"] {
  if (!(Symbol.asyncIterator in content)) return content;
  const pieces = content[Symbol.asyncIterator]();
  const next = () => inTurn(() => pieces.next());
  // Called however it ends, since the receiver may have gone away.
  const end = async () => (await pieces.return?.()) ?? { done: true as const, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}
