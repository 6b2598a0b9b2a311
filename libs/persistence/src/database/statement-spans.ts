import type pg from 'pg';
import { errorCode, monotonicMs, tracing, type Context, type Span } from '@gatehouse/platform';

type Callback = (error: Error | null, ...rest: unknown[]) => void;

/** A connection's server. */
type Server = Pick<pg.Client, 'host' | 'port' | 'database'>;

/** The traces of statements that go through the pool, which may send them while another trace is active. */
const contexts = new WeakMap<object, Context>();

/** Associates a statement with the current trace. @returns the statement */
export function withCurrentTrace<Query extends object>(query: Query): Query {
  if (tracing) contexts.set(query, tracing.context);
  return query;
}

/**
 * Records a statement's span, if its trace is recorded.
 * @param args arguments for pg's `query` method
 * @param send sends the statement, with these arguments
 */
export function traceStatement<Result>(
  server: Server,
  args: unknown[],
  send: (args: unknown[]) => Result,
): Result {
  if (!tracing) return send(args);
  const text = readText(args[0]);
  if (text === null) return send(args);
  const span = tracing.startChild(describeStatement(server, text), contexts.get(args[0] as object));
  if (!span) return send(args);
  return sendObserved(args, send, (error) => endSpan(span, error));
}

/**
 * Measures the time from sending a statement until its result arrives.
 * @param args arguments for pg's `query` method
 * @param observe receives the duration in seconds
 */
export function timeStatement<Result>(
  args: unknown[],
  send: (args: unknown[]) => Result,
  observe: (seconds: number) => void,
): Result {
  if (readText(args[0]) === null) return send(args);
  const startedMs = monotonicMs();
  return sendObserved(args, send, () => observe((monotonicMs() - startedMs) / 1_000));
}

/** Sends a statement, and calls `handleEnd` when its result or error arrives. */
function sendObserved<Result>(
  args: unknown[],
  send: (args: unknown[]) => Result,
  handleEnd: (error: unknown) => void,
): Result {
  const callback = args.at(-1);
  if (typeof callback === 'function') {
    const observed: Callback = (error, ...rest) => {
      handleEnd(error);
      (callback as Callback)(error, ...rest);
    };
    return send([...args.slice(0, -1), observed]);
  }
  const result = send(args);
  (result as Promise<unknown>).then(() => handleEnd(null), handleEnd);
  return result;
}

/** Returns a statement's text, or null for an object that reports its end in another way, such as a cursor. */
function readText(query: unknown): string | null {
  if (typeof query === 'string') return query;
  const isConfig = typeof query === 'object' && query !== null && 'text' in query && !('submit' in query);
  return isConfig ? String(query.text) : null;
}

/** Describes a statement's span. The text contains no values, because they are parameters. */
const describeStatement = ({ host, port, database }: Server, text: string) => {
  const [operation, name] = summarize(text);
  return {
    name,
    kind: 'CLIENT' as const,
    attributes: {
      'db.system.name': 'postgresql',
      'db.namespace': database,
      'db.operation.name': operation,
      'db.query.text': text,
      'server.address': host,
      'server.port': port,
    },
  };
};

/** Matches the first change to a table, unless it is a lock (FOR UPDATE). */
const changePattern = /(?<!\b(?:FOR|KEY) )\b(INSERT INTO|UPDATE|DELETE FROM)\s+"?([a-z_]+)/i;
const readPattern = /\bFROM\s+"?([a-z_]+)\b"?(?!\s*\()/i;

/** Returns a statement's operation, and the span name: the operation with the table that is changed or read first. */
function summarize(text: string): [operation: string, name: string] {
  const [, change, changed] = changePattern.exec(text) ?? [];
  const [first = ''] = /\w+/.exec(change ?? text) ?? [];
  const operation = first.toUpperCase().replace('WITH', 'SELECT');
  const table = changed ?? readPattern.exec(text)?.[1];
  return [operation, table ? `${operation} ${table}` : operation];
}

function endSpan(span: Span, error: unknown): void {
  if (error) tracing?.fail(span, errorCode(error) || '_OTHER');
  span.end();
}
