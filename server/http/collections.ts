import type { openApi } from "./openapi.ts";

// The storefront calls for programs such as Postman, made from the API's description.

type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  example?: unknown;
  schema: { default?: unknown };
};
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
};
type Document = ReturnType<typeof openApi>;

const host = "http://localhost:7400";
const title = "Footprint storefront";

/** Each storefront call with an example of what to send. */
function callsIn({ paths }: Document) {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/storefront/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
        ...{ method, path: path.replace(/\{(\w+)\}/g, ":$1") },
        name: operation.operationId.replace(/^\w+\./, ""),
        about: `${operation.summary}. ${operation.description}`,
        params: given(operation, "path"),
        query: given(operation, "query"),
        headers: given(operation, "header").map((header) => ({ ...header, value: "{{$guid}}" })),
        body: operation.requestBody?.content["application/json"]?.example,
      })),
    );
}

const given = ({ parameters }: Operation, where: Parameter["in"]) =>
  parameters
    .filter((parameter) => parameter.in === where)
    .map(({ name, required, example, schema }) => ({
      key: name,
      value: String(example ?? schema.default ?? ""),
      required,
    }));

/** A Postman collection, version 2.1. */
export function postmanCollection(document: Document) {
  return {
    info: {
      name: title,
      description: "Set the variables `host` and `key`: an API key from the Website screen of the panel.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
    variable: [
      { key: "host", value: host, type: "string" },
      { key: "key", value: "", type: "string" },
    ],
    item: callsIn(document).map(({ method, path, name, about, params, query, headers, body }) => ({
      name,
      request: {
        method: method.toUpperCase(),
        description: about,
        header: [
          ...headers.map(({ key, value, required }) => ({ key, value, type: "text", disabled: !required })),
          ...(body ? [{ key: "Content-Type", value: "application/json", type: "text" }] : []),
        ],
        url: {
          raw: `{{host}}${path}${searchOf(query)}`,
          host: ["{{host}}"],
          path: path.slice(1).split("/"),
          query: query.map(({ key, value, required }) => ({ key, value, disabled: !required })),
          variable: params.map(({ key, value }) => ({ key, value })),
        },
        ...(body !== undefined && {
          body: { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } },
        }),
      },
      response: [],
    })),
  };
}

type Given = ReturnType<typeof given>;

const searchOf = (query: Given) => {
  const sent = query.filter(({ required }) => required).map(({ key, value }) => `${key}=${value}`);
  return sent.length > 0 ? `?${sent.join("&")}` : "";
};

/** A Bruno folder: its file names and their contents. */
export function brunoFolder(document: Document): Record<string, string> {
  const requests = callsIn(document).map(({ method, path, name, about, params, query, headers, body }, place) => {
    const address = { url: `{{host}}${path}${searchOf(query)}`, body: body ? "json" : "none", auth: "inherit" };
    const text = [
      block("meta", { name, type: "http", seq: place + 1 }),
      block(method, address),
      block("params:query", fieldsOf(query)),
      block("params:path", fieldsOf(params)),
      block("headers", fieldsOf(headers)),
      body === undefined ? "" : written("body:json", JSON.stringify(body, null, 2)),
      written("docs", about),
    ];
    return [`${name}.bru`, text.filter(Boolean).join("\n")];
  });
  const collection = { version: "1", name: title, type: "collection", ignore: ["node_modules", ".git"] };
  return {
    "bruno.json": `${JSON.stringify(collection, null, 2)}\n`,
    "collection.bru": `${block("auth", { mode: "bearer" })}\n${block("auth:bearer", { token: "{{key}}" })}`,
    "environments/Footprint.bru": `${block("vars", { host })}vars:secret [\n  key\n]\n`,
    ...Object.fromEntries(requests),
  };
}

/** Optional fields are switched off. */
const fieldsOf = (all: Given) =>
  Object.fromEntries(all.map(({ key, value, required }) => [required ? key : `~${key}`, value]));

function block(name: string, fields: Record<string, string | number>): string {
  const lines = Object.entries(fields).map(([key, value]) => `  ${key}: ${value}\n`);
  return lines.length > 0 ? `${name} {\n${lines.join("")}}\n` : "";
}

const written = (name: string, text: string) => `${name} {\n${text.replaceAll(/^/gm, "  ")}\n}\n`;
