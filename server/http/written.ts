type Row = { _id: string; createdAt: Date };

/**
 * A reply that the database wrote for the most part, in the contract's form, with its rows. It is put together in its
 * turn, once for all callers that share it.
 */
export class Written {
  readonly rows: Row[];
  private readonly write: () => string;
  private written: string | undefined;

  constructor(write: () => string, rows: Row[]) {
    this.write = write;
    this.rows = rows;
  }

  text(): string {
    this.written ??= this.write();
    return this.written;
  }
}
