// Writes calls.ts from the contract: `npm run client:generate`.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { Order } from "@footprint/contract/orders.ts";
import { Event, eventData, eventTypes, outbox } from "@footprint/contract/outbox.ts";
import { download } from "@footprint/contract/schemas.ts";
import { Price, ShopFedexOrder, ShopInvoice, StorefrontCustomer, storefront } from "@footprint/contract/storefront.ts";
import * as z from "zod";

const calls: Record<string, Endpoint> = { ...storefront, ...outbox };

/** POST only because their input is long; they change nothing. */
const readsByPost = ["quote"];

/** Schemas with their own name in the client; others are written where they are used. */
const names = z.registry<{ id: string }>();
names.add(Order, { id: "Order" });
names.add(StorefrontCustomer, { id: "Customer" });
names.add(ShopFedexOrder, { id: "FedexOrder" });
names.add(ShopInvoice, { id: "Invoice" });
names.add(Price, { id: "Price" });
names.add(Event, { id: "FootprintEvent" });
names.add(eventData["order.created"].shape.customer, { id: "NamedCustomer" });
names.add(storefront.transfers.reply.shape.transfers.element, { id: "Transfer" });
names.add(storefront.fedexOrders.reply.shape.orders.element, { id: "ListedFedexOrder" });
names.add(storefront.createOrder.reply.shape.warnings.element, { id: "Warning" });
names.add(storefront.labelTypes.reply.shape.labelTypes.element, { id: "LabelType" });
names.add(storefront.createBulkOrder.body.shape.orders.element, { id: "Purchase" });

type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

const definitions = new Map<string, string>();

/** The type of its wire format. */
function typeOf(schema: z.ZodType): string {
  const wire = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", metadata: names }) as Schema;
  for (const [name, definition] of Object.entries(wire.$defs ?? {})) definitions.set(name, written(definition));
  return written(wire);
}

function written(schema: Schema): string {
  const { $ref, type, enum: choices, const: only, anyOf, oneOf, items, properties, required = [] } = schema;
  if ($ref) return $ref.replace("#/$defs/", "");
  if (only !== undefined) return JSON.stringify(only);
  if (choices) return union(choices.map((choice) => JSON.stringify(choice)));
  const options = anyOf ?? oneOf;
  if (options) {
    const plain = options.filter((option) => option.const === undefined || !options.some(({ type }) => isText(type)));
    // With "" or any other text allowed, the type is just any text.
    return union((plain.length > 0 ? plain : options).map(written));
  }
  if (Array.isArray(type)) return union(type.map((each) => written({ ...schema, type: each })));
  if (type === "array") return `Array<${written(items ?? {})}>`;
  if (type === "object" && properties) {
    const fields = Object.entries(properties).map(([name, field]) =>
      required.includes(name) ? `${name}: ${written(field)};` : `${name}?: ${written(field)} | undefined;`,
    );
    return fields.length > 0 ? `{\n${fields.join("\n")}\n}` : "Record<string, never>";
  }
  if (type === "object") return "Record<string, unknown>";
  return type === "integer" ? "number" : (type ?? "unknown");
}

const isText = (type: Schema["type"]) => type === "string";
const union = (types: string[]) => [...new Set(types)].join(" | ");
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** A call's input: parameters, query and body in one object. */
function inputOf(name: string, { method, params, query, body, idempotent }: Endpoint) {
  const shapes = [params, query, body].flatMap((part) => (part ? [part.shape] : []));
  const fields = shapes.flatMap((shape) => Object.keys(shape));
  if (new Set(fields).size < fields.length) throw new Error(`${name} has two fields of one name`);
  if (method === "GET" ? body : query)
    throw new Error(`${name} has a ${body ? "body" : "query"}: the client sends none`);
  if (method === "POST" && idempotent !== "required" && !readsByPost.includes(name))
    throw new Error(`${name} cannot be repeated: the client repeats every call that got no answer`);
  return z.object(Object.assign({}, ...shapes));
}

function typesOf([name, call]: [string, Endpoint]): string {
  const reply = call.reply === download ? "File" : typeOf(call.reply);
  return `export type ${capital(name)}Input = ${typeOf(inputOf(name, call))};
    export type ${capital(name)}Reply = ${reply};`;
}

function methodOf([name, { method, path, summary, scope, reply, ...call }]: [string, Endpoint]): string {
  const needs = scope ? ` Needs the scope ${scope.map((each) => `\`${each}\``).join(" or ")}.` : "";
  const mayBeEmpty = inputOf(name, { method, path, summary, reply, ...call }).safeParse({}).success ? " = {}" : "";
  return `/** ${summary}.${needs} */
    ${name}(input: ${capital(name)}Input${mayBeEmpty}, options?: CallOptions): Promise<${capital(name)}Reply> {
      return this.${reply === download ? "download" : "call"}("${method}", "${path}", input, options);
    }`;
}

/** What happened, told apart by \`type\`. */
function eventType(): string {
  const known = eventTypes.map((type) => `{ type: "${type}"; data: ${typeOf(eventData[type])} }`);
  // Sent by a button on the Website screen.
  const all = [...known, '{ type: "test"; data: Record<string, unknown> }'];
  return `{ id: string; timestamp: string } & (${all.join(" | ")})`;
}

export function generate(): string {
  const entries = Object.entries(calls);
  const types = entries.map(typesOf);
  definitions.set("FootprintEvent", eventType());
  const code = `// Written by generate.ts from the contract. Do not edit: \`npm run client:generate\`.
    import { Caller, type CallOptions } from "./calling.ts";

    ${[...definitions].map(([name, type]) => `export type ${name} = ${type};`).join("\n\n")}

    ${types.join("\n\n")}

    /** Every call that a shop can make. */
    export class Calls extends Caller {
      ${entries.map(methodOf).join("\n\n")}
    }`;
  const biome = fileURLToPath(new URL("../node_modules/@biomejs/biome/bin/biome", import.meta.url));
  return execFileSync(process.execPath, [biome, "format", "--stdin-file-path=client/calls.ts"], {
    input: code,
    encoding: "utf8",
    cwd: new URL("..", import.meta.url),
  });
}

if (import.meta.main) writeFileSync(new URL("calls.ts", import.meta.url), generate());
