import type { Endpoint, Feature } from "@footprint/contract/endpoint.ts";
import { eventStream } from "@footprint/contract/events.ts";
import { Event, eventData, eventTypes } from "@footprint/contract/outbox.ts";
import { download } from "@footprint/contract/schemas.ts";
import { Conflict } from "@footprint/contract/versions.ts";
import * as z from "zod";
import { exampleOf, knownExample } from "./examples.ts";

type Features = Record<string, { feature: Feature }>;

const failureWith = (more: object) => ({
  description: "Refused: the message says why",
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["message"],
        properties: {
          message: { type: "string" },
          issues: {
            type: "array",
            items: { type: "object", properties: { path: { type: "string" }, message: { type: "string" } } },
          },
          codeRequired: { type: "boolean", description: "Sign in again with a code" },
          passkeyAccepted: { type: "boolean", description: "A passkey will do instead of the code" },
          confirmationRequired: { type: "boolean", description: "Call session.confirm, then repeat the call" },
          passwordChangeRequired: { type: "boolean", description: "Change the password first" },
          twoStepRequired: { type: "boolean", description: "Set up two-step sign-in first" },
          ...more,
        },
      },
    },
  },
});

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description: "The same key and body replays the first answer",
  schema: { type: "string" },
};

const ifMatch = {
  name: "If-Match",
  in: "header",
  description:
    "The version that was read, in quotes: where it is another by now, 409 with `conflict`. Left out or *: any",
  schema: { type: "string" },
};

/** The OpenAPI 3.1 document, printed from the contract. */
export function openApi(features: Features) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [tag, { feature }] of Object.entries(features)) {
    for (const [name, call] of Object.entries(feature)) {
      const path = call.path.replace(/:(\w+)/g, "{$1}");
      paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(tag, name, call) };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Footprint", version: "1", description: "The back office of a shipping-label reseller." },
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: delivery(type) }])),
  };
}

/** What a webhook gets for an event of a type; the call for events returns the same. */
const delivery = (type: keyof typeof eventData) => ({
  operationId: `event.${type}`,
  summary: `Sent to webhooks that hear of ${type}`,
  parameters: ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => ({
    ...{ name, in: "header", required: true, schema: { type: "string" } },
    description: "As the Standard Webhooks specification has it",
  })),
  requestBody: {
    content: {
      "application/json": { schema: wire(Event.extend({ type: z.literal(type), data: eventData[type] })) },
    },
  },
  responses: { "2XX": { description: "Received; whatever else is answered, it is sent again" } },
});

function operation(tag: string, name: string, call: Endpoint) {
  return {
    tags: [tag],
    operationId: `${tag}.${name}`,
    summary: call.summary,
    description: whoMayCall(call),
    security: call.access === "public" ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters("path", call),
      ...parameters("query", call),
      ...(call.idempotent ? [{ ...idempotencyKey, required: call.idempotent === "required" }] : []),
      ...(call.versioned ? [ifMatch] : []),
    ],
    ...(call.body && { requestBody: { content: requestContent(call, call.body) } }),
    responses: {
      [call.status ?? 200]: { description: "Done", content: replyContent(call) },
      ...(call.mayAsk && {
        202: { description: "Waits for an administrator's approval", content: replyContent(call) },
      }),
      default: failureWith(call.versioned ? { conflict: wire(Conflict) } : {}),
    },
  };
}

function requestContent({ upload, access }: Endpoint, body: z.ZodObject) {
  const schema = wire(body);
  if (!upload) {
    const example = access === "storefront" && { example: exampleOf(schema as JsonSchema) };
    return { "application/json": { schema, ...example } };
  }
  const file = { type: "string", contentMediaType: "application/octet-stream", maxLength: upload.maxBytes };
  return {
    "multipart/form-data": { schema: { ...schema, properties: { ...schema.properties, [upload.field]: file } } },
  };
}

function replyContent({ reply }: Endpoint) {
  if (reply === eventStream) return { "text/event-stream": {} };
  return reply === download ? { "application/octet-stream": {} } : { "application/json": { schema: wire(reply) } };
}

const accessNote = {
  public: "Needs no session.",
  staff: "For every signed-in account.",
  admin: "For administrators only.",
  storefront: "For shops, with an API key.",
};

const confirmationNote =
  " Needs a sign-in or a confirmation of the last 30 minutes; else 403 with confirmationRequired.";

const whoMayCall = ({ access, scope, sensitive }: Endpoint) =>
  scope
    ? `For shops, with an API key that has the scope ${scope.join(" or ")}.`
    : accessNote[access] + (sensitive ? confirmationNote : "");

function parameters(where: "path" | "query", { access, params, query }: Endpoint) {
  const schema = where === "path" ? params : query;
  if (!schema) return [];
  const { properties = {}, required = [] } = wire(schema);
  return Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name);
    const example = access === "storefront" && isRequired ? knownExample(name) : undefined;
    return { name, in: where, required: isRequired, schema: property, ...(example !== undefined && { example }) };
  });
}

/** As it travels, in both directions: codecs are described by their wire format. */
function wire(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}

/** Where the collections of collections.ts are served. */
export const collectionPaths = {
  postman: "/api/docs/footprint.postman_collection.json",
  bruno: "/api/docs/footprint-bruno.zip",
};

/** The same for people: one page without scripts or outside content. */
export function openApiPage(features: Features): string {
  const sections = Object.entries(features).map(([tag, { feature }]) => {
    const calls = Object.values(feature).map(
      (call) => `<article>
<h3><b>${call.method}</b> <code>${escapeHtml(call.path)}</code></h3>
<p>${escapeHtml(call.summary)}. ${whoMayCall(call)}${call.versioned ? " Takes <code>If-Match</code>." : ""}</p>
${shape("Query", call.query)}${shape("Body", call.body)}${call.reply === download || call.reply === eventStream ? "" : shape("Reply", call.reply)}
</article>`,
    );
    return `<section id="${tag}"><h2>${tag}</h2>${calls.join("")}</section>`;
  });
  const links = Object.keys(features).map((tag) => `<a href="#${tag}">${tag}</a>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Footprint API</title><style>${pageStyle}</style>
<main><h1>Footprint API</h1>
<p>Send <code>Authorization: Bearer …</code> with the token of <code>POST /api/v1/auth/admin-login</code>. Money is a number
with at most two decimals, times are ISO 8601 in UTC. A refusal is <code>{ "message": "…" }</code>.
Where a call takes <code>If-Match</code>, send the <code>version</code> that was read, in quotes: if somebody has changed
it since, the answer is 409 and has both, <code>conflict: { version, current, changedBy, changedAt }</code>.
For machines: <a href="/api/openapi.json">openapi.json</a> (OpenAPI 3.1). A shop's calls, to send them by hand:
<a href="${collectionPaths.postman}" download>for Postman</a>, <a href="${collectionPaths.bruno}" download>for Bruno</a>
(unpack it and open the folder).</p>
<nav>${links.join(" ")}</nav>${sections.join("")}</main></html>`;
}

function shape(title: string, schema: z.ZodType | undefined): string {
  if (!schema) return "";
  return `<details><summary>${title}</summary><pre>${escapeHtml(describe(wire(schema) as JsonSchema))}</pre></details>`;
}

type JsonSchema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  format?: string;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

function describe(schema: JsonSchema, indent = ""): string {
  if (schema.anyOf) return schema.anyOf.map((option) => describe(option, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `[ ${describe(schema.items ?? {}, indent)} ]`;
  if (!schema.properties)
    return [schema.type ?? "any", schema.format && `(${schema.format})`].filter(Boolean).join(" ");
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? "" : "?";
    return `${indent}  ${name}${optional}: ${describe(property, `${indent}  `)}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);

const pageStyle = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}
main{max-width:56rem;margin:auto;padding:2rem 1rem}nav{display:flex;flex-wrap:wrap;gap:1rem}
article{border-top:1px solid #8886;padding:.5rem 0}h2{margin-top:3rem;text-transform:capitalize}h3{font-weight:400;margin:.5rem 0}
pre{overflow:auto;background:#8882;padding:1rem;border-radius:.5rem}summary{cursor:pointer}`;
