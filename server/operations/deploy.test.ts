import { readFileSync } from "node:fs";
import { users } from "@footprint/contract/users.ts";
import { sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { parse } from "yaml";
import { buildApp, features } from "../app.ts";
import { readConfig } from "../config.ts";
import { openEngine } from "../db/engine.ts";
import { db, tokenOf } from "../testing/server.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
};
const { groups } = parse(read("deploy/prometheus/alerts.yaml")) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

type Target = { expr: string; legendFormat?: string };
const dashboard = JSON.parse(read("deploy/grafana/footprint.json")) as {
  panels: { id: number; title: string; targets?: Target[] }[];
  annotations: { list: Target[] };
  templating: { list: { definition?: string }[] };
};
const targets = [...dashboard.panels.flatMap((panel) => panel.targets ?? []), ...dashboard.annotations.list];
const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);

/** Provided by Prometheus itself. */
const given = { metrics: ["up"], labels: ["job", "instance", "le"] };

/** Every metric in an expression with its label filters, and the labels named elsewhere in it. */
function named(expr: string) {
  const labels: string[] = [];
  const rest = expr
    .replace(/\b(by|on|without|ignoring) \(([^)]*)\)/g, (_, __, list: string) => {
      labels.push(...list.split(/,\s*/));
      return "";
    })
    .replace(/label_values\((.*), (\w+)\)/, (_, metric: string, label: string) => {
      labels.push(label);
      return metric;
    })
    .replace(/\[[^\]]*\]/g, "");
  const metrics = [...rest.matchAll(/\b([a-z_]\w*)\b(?!\s*\()(?:\{([^}]*)\})?/g)]
    .map(([, name = "", chosen = ""]) => ({ name, matchers: [...chosen.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)] }))
    .filter(({ name }) => name !== "or");
  return { labels, metrics };
}

/** The metrics of a server with backups and standbys after a call, with the labels of their samples. */
async function realMetrics() {
  const key = "a-key-that-only-this-test-knows";
  const config = readConfig({ LOG_LEVEL: "silent", METRICS_KEY: key, BACKUP_EVERY: "1d" });
  const { rows } = await db.execute<{ name: string }>(sql`select current_database() as name`);
  const databaseUrl = `${inject("postgresUrl")}/${rows[0]?.name}`;
  const engine = await openEngine({ databaseUrl, readDatabaseUrl: databaseUrl, dataDir: "" });
  const app = await buildApp({ db: engine.db, config, now: () => new Date() });
  await app.inject({ url: users.list.path, headers: { authorization: `Bearer ${tokenOf("staff")}` } });
  const { body } = await app.inject({ url: "/metrics", headers: { authorization: `Bearer ${key}` } });
  await app.close();
  await engine.close();
  const found = new Map<string, Map<string, Set<string>>>();
  const labelsOf = (name: string) =>
    found.get(name) ?? (found.set(name, new Map()).get(name) as Map<string, Set<string>>);
  for (const [, name, type] of body.matchAll(/^# TYPE (\w+) (\w+)$/gm))
    for (const part of type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]) labelsOf(name + part);
  for (const [, name = "", all = ""] of body.matchAll(/^(\w+)\{(.*)\} \S+$/gm))
    for (const [, label = "", value = ""] of all.matchAll(/(\w+)="([^"]*)"/g))
      labelsOf(name).set(label, (labelsOf(name).get(label) ?? new Set()).add(value));
  return found;
}

test("the dashboard and the alerts ask for nothing that the metrics do not tell", async () => {
  const real = await realMetrics();
  const labelsOfAll = new Set([...given.labels, ...[...real.values()].flatMap((labels) => [...labels.keys()])]);
  const paths = Object.values(features).flatMap(({ feature }) => Object.values(feature).map(({ path }) => path));
  const expressions = [...rules.map(({ expr }) => expr), ...targets.map(({ expr }) => expr), ...variables];
  expect(expressions.length).toBeGreaterThan(50);
  for (const expr of expressions) {
    const { labels, metrics } = named(expr);
    expect(metrics, expr).not.toEqual([]);
    for (const label of labels) expect([...labelsOfAll], expr).toContain(label);
    for (const { name, matchers } of metrics) {
      expect([...given.metrics, ...real.keys()], expr).toContain(name);
      for (const [, label = "", how, value = ""] of matchers) {
        if (given.labels.includes(label)) continue;
        expect([...(real.get(name)?.keys() ?? [])], expr).toContain(label);
        // Which statuses and paths occur depends on the calls.
        if (label === "path")
          for (const end of /\((.*)\)$/.exec(value)?.[1]?.split("|") ?? [value])
            expect(paths, expr).toContainEqual(expect.stringMatching(new RegExp(`/${end}$`)));
        else if (label !== "status" && how === "=")
          expect([...(real.get(name)?.get(label) ?? [])], expr).toContain(value);
      }
    }
  }
  for (const { legendFormat = "" } of targets)
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect([...labelsOfAll]).toContain(label);
});

test("every alert says in words what is wrong, and where it stands what to do", () => {
  const headings = [...read("docs/operations.md").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title.toLowerCase());
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, labels, annotations, ...rule } of rules) {
    expect(["critical", "warning"], alert).toContain(labels.severity);
    expect(annotations.summary, alert).toMatch(/^[A-Z].{20,}\.$/);
    expect(annotations.runbook, alert).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    expect(headings, alert).toContain(alert.toLowerCase());
    expect(
      Object.keys(rule).every((field) => ["expr", "for"].includes(field)),
      alert,
    ).toBe(true);
  }
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  const { rule_files: files, scrape_configs: scraped } = parse(read("deploy/prometheus/prometheus.yaml"));
  expect(files).toEqual(["alerts.yaml"]);
  expect(scraped).toMatchObject([{ job_name: "footprint", metrics_path: "/metrics" }]);
});
