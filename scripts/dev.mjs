// Runs the panel with hot reload on Vite's own port, and the API on 7400, restarted when its sources change.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { projectNode, root, tool } from "./process.mjs";

const node = projectNode();
const children = [
  // The panel calls port 7400 from every page on localhost.
  spawn(node, ["--watch", "server/main.ts"], { cwd: root, stdio: "inherit", env: { ...process.env, PORT: "7400" } }),
  spawn(node, [tool("vite/bin/vite.js")], { cwd: join(root, "web"), stdio: "inherit" }),
];

let stopping = false;
/** @param {number} code */
function stop(code) {
  if (stopping) return;
  stopping = true;
  process.exitCode = code;
  for (const child of children) if (child.exitCode === null) child.kill("SIGTERM");
}

for (const child of children) {
  child.on("error", (error) => {
    console.error(error.message);
    stop(1);
  });
  child.on("exit", (code) => stop(code ?? 0));
}
// The terminal sends Ctrl-C to the children too; waiting for them leaves the prompt clean.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => stop(0));
