import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

const answers: Record<string, { status: string; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: "413 Content Too Large", message: "The address or the headers are too long" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", message: "The request took too long to arrive" },
};
const noRequest = { status: "400 Bad Request", message: "This is not a valid HTTP request" };

/**
 * Bytes that are not a readable request never become a call: they are answered straight on the socket, which is then
 * closed.
 */
export function answerBrokenRequest(error: { code: string }, socket: Socket) {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { status, message } = answers[error.code] ?? noRequest;
  const body = JSON.stringify({ message });
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`;
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
  socket.destroy();
}

/** A client that sends `Expect` is answered like all others, instead of with nothing. */
export function ignoreExpectations({ server }: FastifyInstance) {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}
