type Row = { _id: string; createdAt: Date };

/** A reply most of which the database has written, by the contract too; put together in its turn. And the rows in it. */
export class Written {
  readonly text: () => string;
  readonly rows: Row[];
  constructor(text: () => string, rows: Row[]) {
    this.text = text;
    this.rows = rows;
  }
}
