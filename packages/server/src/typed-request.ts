import type { paths } from './openapi.js';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The operation for a method on a path. */
export type Operation<Path extends keyof paths, Verb extends Method> = paths[Path][Verb];

/** The paths that support a method. */
export type PathsWith<Verb extends Method> = {
  [Path in keyof paths]: Operation<Path, Verb> extends { responses: unknown } ? Path : never;
}[keyof paths];

/** The parameter names in a path. */
export type ParameterNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...ParameterNames<Rest>]
  : [];

/** An operation's query. Booleans are accepted in place of `'true'` and `'false'`. */
export type QueryOf<Op> = Op extends { parameters: { query?: infer Query } }
  ? { [Name in keyof NonNullable<Query>]: WithBoolean<NonNullable<Query>[Name]> }
  : never;

type WithBoolean<Value> = [Exclude<Value, undefined>] extends ['true' | 'false'] ? Value | boolean : Value;

/** An operation's body: JSON, or also a string if it accepts NDJSON. `never` if it has no body. */
export type BodyOf<Op> = Op extends { requestBody?: infer Body }
  ? NonNullable<Body> extends { content: infer Content }
    ? | (Content extends { 'application/json': infer Json } ? Json : never)
      | (Content extends { 'application/x-ndjson': infer Text } ? Text : never)
    : never
  : never;

/** True if an operation's body is optional. */
export type IsBodyOptional<Op> = Op extends { requestBody: { content: unknown } } ? false : true;

type ContentOf<Response> = Response extends { content: infer Content }
  ? [Content] extends [never]
    ? undefined
    : Content extends { 'application/json': infer Json }
      ? Json
      : string
  : undefined;

type SuccessOf<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201 | 202 | 204 ? ContentOf<Responses[Status]> : never;
}[keyof Responses];

/** A successful response's body. Undefined for 204. */
export type ResponseOf<Op> = Op extends { responses: infer Responses } ? SuccessOf<Responses> : never;

/** Options for each call. */
export interface CallOptions {
  /**
   * Key that ensures that Gatehouse executes a POST only once. Default: a new one per call, which its retries reuse.
   */
  idempotencyKey?: string;
  /**
   * An ETag, or a resource that this client returned. A PATCH fails with `precondition_failed` if the resource has
   * changed since then.
   */
  ifMatch?: string | object;
  headers?: Record<string, string>;
  /** Aborts the call, without a retry. */
  signal?: AbortSignal;
}

/** Options for `request()`. */
export type RequestOptions<Path = string, Op = unknown> = CallOptions & {
  query?: QueryOf<Op>;
  /** Sent as JSON. A string is sent unchanged as NDJSON. */
  body?: BodyOf<Op>;
} & (ParameterNames<Path> extends []
    ? { params?: undefined }
    : { params: Record<ParameterNames<Path>[number], string> });

/** Sends a typed request. Options are required if the path has parameters. */
export type TypedRequest = <Verb extends Uppercase<Method>, Path extends PathsWith<Lowercase<Verb>>>(
  method: Verb,
  path: Path,
  ...options: ParameterNames<Path> extends []
    ? [RequestOptions<Path, Operation<Path, Lowercase<Verb>>>?]
    : [RequestOptions<Path, Operation<Path, Lowercase<Verb>>>]
) => Promise<ResponseOf<Operation<Path, Lowercase<Verb>>>>;
