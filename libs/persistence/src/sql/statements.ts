/** A result column's type, in PostgreSQL and as returned by pg. */
export interface ResultType<Value> {
  /** Type name as returned by `format_type`. */
  readonly type: string;
  /** `table` if the table column is nullable but the statement never returns NULL. */
  readonly nullable: boolean | 'table';
  /** Exists only for type inference. */
  readonly value?: Value;
}

/** A statement's result columns. */
export type RowMap = Readonly<Record<string, ResultType<unknown>>>;

/** The row type that a row map declares. */
export type RowOf<Map extends RowMap> = {
  -readonly [Name in keyof Map]: Map[Name] extends ResultType<infer Value> ? Value : never;
};

const resultType = <Value>(type: string): ResultType<Value> => ({ type, nullable: false });

export const bigint = resultType<string>('bigint');
export const boolean = resultType<boolean>('boolean');
export const bytea = resultType<Buffer>('bytea');
export const double = resultType<number>('double precision');
export const integer = resultType<number>('integer');
export const smallint = resultType<number>('smallint');
export const text = resultType<string>('text');
export const timestamptz = resultType<Date>('timestamp with time zone');
export const uuid = resultType<string>('uuid');

/** Returns the type of a text column that only contains certain values. */
export const textOf = <Value extends string>(): ResultType<Value> => resultType<Value>('text');

export const jsonb = <Value>(): ResultType<Value> => resultType<Value>('jsonb');

export const arrayOf = <Value>({ type }: ResultType<Value>): ResultType<Value[]> =>
  resultType<Value[]>(`${type}[]`);

export const nullable = <Value>({ type }: ResultType<Value>): ResultType<Value | null> => ({
  type,
  nullable: true,
});

/** Returns the type of a column that is nullable in its table but never null in the result. */
export const neverNull = <Value>({ type }: ResultType<Value>): ResultType<Value> => ({
  type,
  nullable: 'table',
});

/** SQL with parameter values. */
export interface Query {
  text: string;
  values: unknown[];
}

/** A statement with a constant text, created by `statement`. Each connection parses and plans it once. */
class Statement<Row> {
  /** Exists only for type inference. */
  declare protected readonly row: Row;

  constructor(
    readonly columns: RowMap,
    readonly text: string,
  ) {}
}

/**
 * A statement whose text depends on the call, with its values. Created by the function that `dynamicStatement`
 * returns.
 */
class BoundStatement<Row> implements Query {
  /** Exists only for type inference. */
  declare protected readonly row: Row;

  constructor(
    readonly text: string,
    readonly values: unknown[],
    /** True if each connection should parse and plan each text once, because there are few variants. */
    readonly isPrepared: boolean,
  ) {}
}

export type { BoundStatement, Statement };

/** A variant of a declared statement, for comparison with the migrated schema. */
export interface DeclaredStatement {
  columns: RowMap;
  text: string;
}

const declarations: (() => DeclaredStatement[])[] = [];

/**
 * Declares a statement.
 * @param columns result columns; `{}` for a statement that returns none
 */
export function statement<Map extends RowMap>(columns: Map, sql: string): Statement<RowOf<Map>> {
  const declared = new Statement<RowOf<Map>>(columns, sql);
  declarations.push(() => [declared]);
  return declared;
}

/**
 * Declares a statement whose text depends on the call.
 * @param build returns a call's text and values
 * @param samples arguments that together produce every variant of the text
 * @param options `isPrepared` for a statement with few variants whose best plan does not depend on its values; each
 * connection then parses and plans each variant once
 */
export function dynamicStatement<Map extends RowMap, Args extends unknown[]>(
  columns: Map,
  build: (...args: Args) => Query,
  samples: readonly Readonly<NoInfer<Args>>[],
  { isPrepared = false } = {},
): (...args: Args) => BoundStatement<RowOf<Map>> {
  declarations.push(() => samples.map((sample) => ({ columns, text: build(...sample).text })));
  return (...args) => {
    const { text: sql, values } = build(...args);
    return new BoundStatement<RowOf<Map>>(sql, values, isPrepared);
  };
}

/** Returns every declared statement. Dynamic statements are returned in all variants that their samples produce. */
export const declaredStatements = (): DeclaredStatement[] => declarations.flatMap((list) => list());
