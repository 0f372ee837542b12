// Plain Node 18 without packages: this runs before anything is installed.
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const pinned = join(root, "node_modules", ".bin", "node");

/** The Node of the lockfile or, if it could not be installed, the running one. */
export function projectNode() {
  try {
    accessSync(pinned, constants.X_OK);
    return pinned;
  } catch {
    return process.execPath;
  }
}

/** The path of an installed command-line tool's script. @param {string} path below node_modules */
export const tool = (path) => join(root, "node_modules", path);

/**
 * Runs a command and resolves with its exit code and everything it printed.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options] stdio "inherit" shows the output instead of keeping it
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], ...options });
    child.stdout?.on("data", (data) => {
      output += data;
    });
    child.stderr?.on("data", (data) => {
      output += data;
    });
    child.on("error", (error) => resolve({ code: 127, output: `${output}${command}: ${error.message}\n` }));
    child.on("close", (code, signal) => {
      if (signal) output += `\n${command} was ended by ${signal}\n`;
      resolve({ code: code ?? 1, output });
    });
  });
}

/** A runner for the project's Node. @param {string[]} args @param {import("node:child_process").SpawnOptions} [options] */
export const runNode = (args, options) => run(projectNode(), args, options);
