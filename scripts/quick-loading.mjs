// Loaded before the program by `npm start`, and by the tests before everything they start. Node parses the exports of a
// package anew for every file in it and every file that imports it. Those of drizzle-orm are 130 kB, and parsing them
// was half of the loading time.
import { registerHooks } from "node:module";

const found = new Map();

registerHooks({
  resolve(specifier, context, next) {
    if (!context.conditions.includes("import")) return next(specifier, context);
    const isInside = /^\..*\.js$/.test(specifier) && context.parentURL?.includes("/node_modules/drizzle-orm/");
    if (isInside) return { url: new URL(specifier, context.parentURL).href, format: "module", shortCircuit: true };
    if (!/^drizzle-orm(\/|$)/.test(specifier)) return next(specifier, context);
    if (!found.has(specifier)) found.set(specifier, next(specifier, context));
    return { ...found.get(specifier), shortCircuit: true };
  },
});
