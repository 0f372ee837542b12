type Turn = { done: Promise<unknown>; next?: Promise<unknown> };

/**
 * What several ask for at once is done once for them: those who come while it is done for others share the next turn,
 * which begins after all of them, so that nobody is told how it was before they asked.
 */
export class Shared {
  private readonly turns = new Map<string, Turn>();

  isBusy(name: string): boolean {
    return this.turns.has(name);
  }

  do<T>(name: string, work: () => Promise<T>): Promise<T> {
    const current = this.turns.get(name);
    if (!current) return this.begin(name, work);
    const begin = () => this.begin(name, work);
    current.next ??= current.done.then(begin, begin);
    return current.next as Promise<T>;
  }

  private begin<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = work();
    const turn: Turn = { done };
    this.turns.set(name, turn);
    const end = () => void (turn.next ?? this.turns.delete(name));
    done.then(end, end);
    return done;
  }
}
