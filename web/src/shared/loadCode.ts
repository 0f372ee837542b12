const patienceMs = 120_000;

const fetched = new Map<string, Promise<void>>();
const styled = new Map<string, Promise<void>>();

/**
 * Takes the place of Vite's own preloading in every dynamic import of the build. Browsers remember an import that
 * failed, or its preloading, until the page is reloaded. So a file is imported once it is in the browser's cache; until
 * then, each try asks the server again.
 *
 * @public by loadedCode.ts
 */
export async function withFiles<T>(load: () => Promise<T>, files: readonly string[]): Promise<T> {
  const paths = files.map((file) => `/${file}`);
  await Promise.all(paths.map((path) => untilDone(fetched, path, fetchFile)));
  await Promise.all(paths.filter((path) => path.endsWith(".css")).map((path) => untilDone(styled, path, addStyle)));
  return load();
}

/** Does something once for each path, and again if it failed. */
function untilDone(done: Map<string, Promise<void>>, path: string, act: (path: string) => Promise<void>) {
  const known = done.get(path);
  if (known) return known;
  const acting = isInPage(path) ? Promise.resolve() : act(path);
  done.set(path, acting);
  acting.catch(() => done.delete(path));
  return acting;
}

const isInPage = (path: string) => document.querySelector(`[src="${path}"], [href="${path}"]`) !== null;

async function fetchFile(path: string): Promise<void> {
  const answer = await fetch(path, { signal: AbortSignal.timeout(patienceMs) });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`, { cause: answer.status });
  await answer.arrayBuffer();
}

function addStyle(path: string): Promise<void> {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: path });
  document.head.append(link);
  return new Promise((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`no style from ${path}`));
    };
  });
}

/** Adds the page's own styles that did not come with it, in their place, as soon as they can be had. */
export async function addMissingStyles(): Promise<void> {
  const all = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
  for (const link of all.filter((link) => !hasRules(link))) {
    while (!(await isFetched(link.href))) await new Promise((goOn) => setTimeout(goOn, 5_000));
    link.replaceWith(link.cloneNode());
  }
}

/** A style that failed has no rules, or none that may be read. */
function hasRules({ sheet }: HTMLLinkElement): boolean {
  try {
    return Boolean(sheet?.cssRules.length);
  } catch {
    return false;
  }
}

const isFetched = (path: string) =>
  fetchFile(path).then(
    () => true,
    () => false,
  );

/** Loads the code of a screen; on failure throws a message for the operator. */
export const loadScreen = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch((cause: unknown) => {
    throw new Error("This screen could not be loaded. Check the connection and reload.", { cause });
  });

/** Loads the code of a part of a screen, which can be tried again. */
export const loadPart = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch((cause: unknown) => {
    const isOutdated = cause instanceof Error && cause.cause === 404;
    const why = isOutdated
      ? ", because there is a newer version. Finish what you are doing, then reload the page."
      : ". Check the connection and try again.";
    throw new Error(`This part of the panel could not be loaded${why}`, { cause });
  });
