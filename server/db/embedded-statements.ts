import { type messages, type PGlite, parse, protocol, type QueryOptions, type Results } from "@electric-sql/pglite";
import { databaseCode } from "./failures.ts";
import { isPreparable, mostStatements, Recent } from "./statements.ts";

type Statement = { name: string; types: number[]; described: messages.BackendMessage[] };
type Query = PGlite["query"];

const { serialize } = protocol;

/**
 * By default the embedded engine parses and plans a statement each time it is sent, which takes longer than running
 * most of them. Here statements that are likely to come again are prepared, by the protocol that PostgreSQL's drivers
 * use.
 */
export function keepPrepared(client: PGlite): void {
  const statements = new Recent<Statement>(mostStatements);
  let made = 0;
  /** Messages that close dropped statements, sent together with the next statement. */
  let unused: Uint8Array[] = [];
  const close = ({ name }: Statement) => unused.push(serialize.close({ type: "S", name }));

  const send = (...parts: Uint8Array[]) => {
    const all = [...unused, ...parts, serialize.sync()];
    unused = [];
    return client.execProtocolStream(joined(all), { syncToFs: false });
  };

  const prepare = async (text: string): Promise<Statement> => {
    const name = `footprint_${made++}`;
    const described = await send(serialize.parse({ name, text }), serialize.describe({ type: "S", name }));
    const statement = {
      name,
      types: parse.parseDescribeStatementResults(described),
      described: described.filter((message) => message.name === "rowDescription"),
    };
    const dropped = statements.add(text, statement);
    if (dropped) close(dropped);
    return statement;
  };

  /** Put in front of the engine's hundreds of parsers: copying those would take longer than the statement. */
  const parsersOf = (options?: QueryOptions) =>
    options?.parsers ? Object.assign(Object.create(client.parsers), options.parsers) : client.parsers;

  const run = async <T>(text: string, params: unknown[], options?: QueryOptions): Promise<Results<T>> => {
    const { name, types, described } = statements.get(text) ?? (await prepare(text));
    const values = params.map((value, place) => {
      if (value === null || value === undefined) return null;
      const serializer = client.serializers[types[place] as number];
      return serializer ? serializer(value) : String(value);
    });
    const answer = await send(serialize.bind({ statement: name, values }), serialize.execute({}));
    const [result] = parse.parseResults([...described, ...answer], parsersOf(options), withoutParsers(options));
    return result as Results<T>;
  };

  /** A statement prepared before a table was changed may have other columns now; it is prepared again. */
  const runAgainIfOutdated = async <T>(
    text: string,
    params: unknown[],
    options?: QueryOptions,
  ): Promise<Results<T>> => {
    try {
      return await run(text, params, options);
    } catch (error) {
      const outdated = statements.get(text);
      if (!outdated || !isOutdated(error)) throw error;
      statements.delete(text);
      close(outdated);
      if (client.isInTransaction()) throw error;
      return run(text, params, options);
    }
  };

  const forgetAll = () => statements.clear().forEach(close);

  const preparing = (plain: Query, exclusively: <T>(work: () => Promise<T>) => Promise<T>): Query =>
    async function query<T>(text: string, params?: unknown[], options?: QueryOptions) {
      if (isPreparable(text, params))
        return exclusively(() =>
          client._runExclusiveQuery(() => runAgainIfOutdated<T>(text, params as unknown[], options)),
        );
      const answer = await plain<T>(text, params, options);
      if (!leavesTablesAlone.test(text)) forgetAll();
      return answer;
    };

  client.query = preparing(client.query.bind(client), async (work) => {
    await client._checkReady();
    return client._runExclusiveTransaction(work);
  });
  const transaction = client.transaction.bind(client);
  client.transaction = (work) =>
    transaction((tx) => {
      tx.query = preparing(tx.query.bind(tx), (work) => {
        if (tx.closed) throw new Error("the transaction has ended");
        return work();
      });
      return work(tx);
    });
  const exec = client.exec.bind(client);
  client.exec = (text, options) => exec(text, options).finally(forgetAll);
}

const withoutParsers = ({ parsers: _, ...options }: QueryOptions = {}): QueryOptions => options;

const leavesTablesAlone =
  /^\s*(select|with|insert|update|delete|declare|fetch|close|savepoint|release|rollback|set|truncate|vacuum|analyze)\b/i;

/** "cached plan must not change result type" */
const isOutdated = (error: unknown) =>
  databaseCode(error) === "0A000" && (error as { routine?: string }).routine === "RevalidateCachedQuery";

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}
