type Row = { _id: string; createdAt: Date };

/**
 * A reply most of which the database has written, by the contract too; put together in its turn, once for all whom it is
 * sent to. And the rows in it.
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
