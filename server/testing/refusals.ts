type Answer = { status: number; type: string; text: string };

/** The statuses of refusals. 503 is for a server in trouble, which bad input must not cause. */
const documented = new Set([400, 401, 402, 403, 404, 409, 413, 415, 429]);

/** Words that only occur inside the program: of SQL, stacks and files. */
const inside =
  /\b(select|insert into|delete from|update) [\w"]+|violates|constraint|relation "|column "|syntax error|SQLSTATE|Failed query|node_modules|node:internal|\.[jt]s:\d|\bat \S+ \(|\/(home|root|work|usr|tmp)\//i;

/** What is wrong with a refusal; undefined if nothing is. */
export function problemWith({ status, type, text }: Answer): string | undefined {
  if (!documented.has(status)) return "this status is not documented";
  if (!/^application\/json\b/.test(type)) return `a refusal is JSON, not ${type}`;
  const body = JSON.parse(text) as Record<string, unknown>;
  const unknown = Object.keys(body).filter((name) => !["message", "issues", "conflict"].includes(name));
  if (unknown.length > 0) return `a refusal has a message, issues and a conflict, not ${unknown}`;
  if (typeof body.message !== "string" || body.message.trim() === "") return "a refusal says why";
  if (inside.test(body.message)) return "a refusal tells nothing of the inside";
  return "issues" in body ? problemWithIssues(body.issues) : undefined;
}

function problemWithIssues(issues: unknown): string | undefined {
  const isIssue = (issue: unknown) => {
    const { path, message, ...rest } = issue as Record<string, unknown>;
    return typeof path === "string" && typeof message === "string" && message !== "" && Object.keys(rest).length === 0;
  };
  return Array.isArray(issues) && issues.length > 0 && issues.every(isIssue)
    ? undefined
    : "issues are a list of path and message";
}
