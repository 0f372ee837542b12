/** Work done once for several callers, as the first of them asked for it. */
type Turn<A, T> = { asked: A; done: Promise<T>; next?: Turn<A, T> };

/**
 * Does work once for several callers. Those who ask while it is being done for others share the next turn, which begins
 * after all of them asked: nobody gets an answer from before their question.
 */
export class Shared<A, T> {
  private readonly turns = new Map<string, Turn<A, T>>();
  private readonly work: (asked: A) => Promise<T>;

  constructor(work: (asked: A) => Promise<T>) {
    this.work = work;
  }

  do(name: string, asked: A): Turn<A, T> {
    const current = this.turns.get(name);
    if (current?.next) return current.next;
    const work = () => this.work(asked);
    const turn: Turn<A, T> = { asked, done: current ? current.done.then(work, work) : work() };
    const end = () => void (turn.next ? this.turns.set(name, turn.next) : this.turns.delete(name));
    turn.done.then(end, end);
    if (current) current.next = turn;
    else this.turns.set(name, turn);
    return turn;
  }
}
