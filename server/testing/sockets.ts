import { once } from "node:events";
import { connect } from "node:net";
import { origin } from "./server.ts";

type Answer = { status: number; type: string; text: string };

/** How long the client waits for a silent server before it hangs up. */
const patience = 500;

/** Sends raw bytes, and returns every answer that came before the connection was cut. */
export async function converse(bytes: string | Buffer): Promise<Answer[]> {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  const received: Buffer[] = [];
  // A silent server may be waiting for more: the client hangs up, and then the server has to end.
  const hangUp = setTimeout(() => socket.end(), patience);
  socket.on("data", (data) => {
    received.push(data);
    hangUp.refresh();
  });
  socket.on("error", () => {});
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await new Promise((closed) => socket.once("close", closed));
  clearTimeout(hangUp);
  return answersIn(Buffer.concat(received).toString("latin1"));
}

/** Sends a request (with `connection: close`) except for its last byte; `finish` sends that and returns the answer. */
export function holdBack(bytes: Buffer): { finish(): Promise<Answer> } {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (data) => received.push(data));
  socket.write(bytes.subarray(0, -1));
  return {
    async finish() {
      socket.write(bytes.subarray(-1));
      await once(socket, "close");
      const [answer] = answersIn(Buffer.concat(received).toString("latin1"));
      if (!answer) throw new Error("the line was cut without an answer");
      return answer;
    },
  };
}

function answersIn(text: string): Answer[] {
  if (text === "") return [];
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  const end = text.indexOf("\r\n\r\n") + 4;
  const head = text.slice(0, end);
  const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, "im").exec(head)?.[1];
  if (!status || end < 4) throw new Error(`this is no answer: ${text.slice(0, 200)}`);
  // Of the replies made here only empty ones are chunked.
  const length = header("transfer-encoding") ? "0\r\n\r\n".length : Number(header("content-length") ?? 0);
  const answer = { status: Number(status), type: header("content-type") ?? "", text: text.slice(end, end + length) };
  return [answer, ...answersIn(text.slice(end + length))];
}
