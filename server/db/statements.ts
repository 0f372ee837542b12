/** How many statements stay prepared on a connection: those used last. */
export const mostStatements = 500;

/** Not searches, which are planned for what was typed; nor long statements and cursors, which hardly come again. */
export function isPreparable(text: string | undefined, values: unknown, comesAgain = false): text is string {
  if (!Array.isArray(values) || values.length === 0 || !text) return false;
  return (comesAgain || text.length < 4_000) && !/^declare | (like|@@) /.test(text);
}

/** Keeps up to `most` values by key, and drops the one that was not used for the longest. */
export class Recent<V> {
  private readonly kept = new Map<string, V>();
  private readonly most: number;
  constructor(most: number) {
    this.most = most;
  }

  get(key: string): V | undefined {
    const value = this.kept.get(key);
    if (value === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, value);
    return value;
  }

  /** Returns the value that was dropped, if any. */
  add(key: string, value: V): V | undefined {
    this.kept.set(key, value);
    if (this.kept.size <= this.most) return undefined;
    const [[oldest, dropped]] = this.kept as unknown as [[string, V]];
    this.kept.delete(oldest);
    return dropped;
  }

  delete(key: string): void {
    this.kept.delete(key);
  }

  /** Returns all values. */
  clear(): V[] {
    const all = [...this.kept.values()];
    this.kept.clear();
    return all;
  }
}
