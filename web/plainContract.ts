import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type ESTree, type Plugin, parseSync, Visitor } from "vite";

/**
 * The server checks what is sent, so the panel needs no schemas: it gets the contract's plain values alone, such as
 * paths and choices, which keeps Zod out of every page. The build fails where the panel asks for anything else.
 * Files of the contract that do not load Zod are taken as they are: functions for the panel belong there.
 */
export function plainContract(): Plugin {
  return {
    name: "plain-contract",
    enforce: "pre",
    async load(id) {
      if (!loadsZod(id)) return;
      const values = Object.entries(await evaluate(id)).filter(([, value]) => isPlain(value));
      return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value, plainOnly)};`).join("\n");
    },
    async transform(code, id) {
      if (!code.includes("@footprint/contract/")) return;
      const { program } = parseSync(id, code);
      for (const statement of program.body) {
        if (statement.type !== "ImportDeclaration" || statement.importKind === "type") continue;
        const file = (await this.resolve(statement.source.value, id))?.id ?? "";
        if (!loadsZod(file)) continue;
        const contract = await evaluate(file);
        for (const path of pathsInto(statement, program)) {
          if (isPlain(path.reduce<unknown>(property, contract))) continue;
          this.error(`${id} uses ${path.join(".")} of contract/${basename(file)}: the panel gets plain values only`);
        }
      }
    },
  };
}

const loadsZod = (file: string) =>
  /\/contract\/[\w-]+\.ts$/.test(file) && /^import \* as z from "zod"/m.test(readFileSync(file, "utf8"));

/** What the file exports; read again once it has changed. */
const evaluate = (file: string): Promise<Record<string, unknown>> => import(`${file}?${statSync(file).mtimeMs}`);

const property = (value: unknown, name: string) =>
  value && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

/** Neither a schema nor a function. */
const isPlain = (value: unknown) =>
  value === null ||
  Array.isArray(value) ||
  (typeof value === "object" ? Object.getPrototypeOf(value) === Object.prototype : typeof value !== "function");

/** Summaries are for the page that describes the API. */
const plainOnly = (name: string, value: unknown) => (isPlain(value) && name !== "summary" ? value : undefined);

/** Everything that is imported and every property of it that is read: `["fedex"]`, `["fedex", "update", "upload"]`. */
function pathsInto(statement: ESTree.ImportDeclaration, program: ESTree.Program): string[][] {
  const exportedAs = new Map<string, string>();
  for (const specifier of statement.specifiers) {
    if (specifier.type !== "ImportSpecifier" || specifier.importKind === "type") continue;
    exportedAs.set(specifier.local.name, "name" in specifier.imported ? specifier.imported.name : specifier.local.name);
  }
  const paths = Array.from(exportedAs.values(), (name) => [name]);
  function pathOf(node: ESTree.Expression): string[] | undefined {
    if (node.type === "Identifier") return exportedAs.has(node.name) ? [exportedAs.get(node.name) ?? ""] : undefined;
    if (node.type !== "MemberExpression" || node.computed || node.property.type !== "Identifier") return undefined;
    const owner = pathOf(node.object);
    return owner && [...owner, node.property.name];
  }
  new Visitor({
    MemberExpression(node) {
      const path = pathOf(node);
      if (path) paths.push(path);
    },
  }).visit(program);
  return paths;
}
