/** A body in any platform's form: of a Request or Response, of a Node message, or already read. */
export type Body = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Uint8Array | string | null;

export class TooLong extends Error {}

/** A whole body, if it is not too long. */
export async function readWhole(body: Body, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(body)) {
    size += chunk.length;
    if (size > most) throw new TooLong(`more than ${most / 1024 / 1024} MB`);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let place = 0;
  for (const chunk of chunks) {
    whole.set(chunk, place);
    place += chunk.length;
  }
  return whole;
}

async function* chunksOf(body: Body): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  if (typeof body === "string") yield new TextEncoder().encode(body);
  else if (body instanceof Uint8Array) yield body;
  else if ("getReader" in body) yield* chunksOfStream(body);
  else yield* body;
}

/** Some platforms' streams cannot be iterated. */
async function* chunksOfStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (done) return;
      yield value;
    }
  } finally {
    // The rest is no longer wanted.
    if (!isWhole) reader.cancel().catch(() => {});
  }
}
