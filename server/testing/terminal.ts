// A terminal that stays open: it runs one command after another in one process, since starting a process takes longer
// than most commands. A line of JSON says what to run, another how it ended; in base64, since JSON may contain
// characters that end lines.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { Encrypter } from "age-encryption";

type Typed = { env: Record<string, string>; script: string; args: string[] };

const answer = process.stdout.write.bind(process.stdout);
const [node = ""] = process.argv;
let commands = 0;

// At the product's cost of 2^18, stretching passphrases would take longer than everything else in the tests of backups.
const { setPassphrase } = Encrypter.prototype;
Encrypter.prototype.setPassphrase = function (passphrase) {
  const { scryptWorkFactor } = this as unknown as { scryptWorkFactor: number };
  this.setScryptWorkFactor(scryptWorkFactor - 8);
  setPassphrase.call(this, passphrase);
};

for await (const line of createInterface({ input: process.stdin })) {
  const { env, script, args } = JSON.parse(Buffer.from(line, "base64").toString()) as Typed;
  let output = "";
  const keep = (text: string | Uint8Array) => {
    output += text;
    return true;
  };
  process.stdout.write = keep;
  process.stderr.write = keep;
  process.env = env;
  process.argv = [node, script, ...args];
  process.exitCode = undefined;
  // With a new address each time, since a module runs only when it is loaded; its imports stay loaded.
  await import(`${pathToFileURL(script)}?${++commands}`);
  const ended = JSON.stringify({ code: process.exitCode ?? 0, output: output.trim() });
  answer(`${Buffer.from(ended).toString("base64")}\n`);
  process.stdout.removeAllListeners("error");
  process.removeAllListeners("disconnect");
}
