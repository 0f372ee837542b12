const chunkTimeoutMs = 120_000;

/** Loads the code of a screen or part; on failure throws a message that the fallback page shows. */
export async function lazyScreen<T>(load: () => Promise<T>): Promise<T> {
  let timer: number | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = window.setTimeout(
      () => reject(new Error("This screen took longer than two minutes to load. Check the connection and reload.")),
      chunkTimeoutMs,
    );
  });
  try {
    return await Promise.race([load().catch(explain), tooLate]);
  } finally {
    window.clearTimeout(timer);
  }
}

/** The browser's own message would only name a file. */
function explain(cause: unknown): never {
  throw new Error("This screen could not be loaded. Check the connection and reload.", { cause });
}
