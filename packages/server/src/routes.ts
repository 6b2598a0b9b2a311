import { createPages, toPage, type Pages } from './pages.js';
import type { Transport, UntypedOptions } from './transport.js';
import type {
  BodyOf,
  CallOptions,
  IsBodyOptional,
  Method,
  Operation,
  PathsWith,
  QueryOf,
  ResponseOf,
} from './typed-request.js';

/** One string per path parameter. */
type Ids<Path> = Path extends `${string}{${string}}${infer Rest}` ? [id: string, ...Ids<Rest>] : [];

/** The resource in a response. Routes under `/v1` wrap it in `data`. */
type Unwrapped<Response> = Response extends { success: boolean; data: infer Data } ? Data : Response;

type ItemOf<Response> = Response extends { data: (infer Item)[] } ? Item : never;

type Result<Path extends PathsWith<Verb>, Verb extends Method> = Promise<
  Unwrapped<ResponseOf<Operation<Path, Verb>>>
>;

type OptionsWithQuery<Op> = CallOptions & ([QueryOf<Op>] extends [never] ? object : { query?: QueryOf<Op> });

type BodyArgument<Op> = IsBodyOptional<Op> extends true ? [body?: BodyOf<Op>] : [body: BodyOf<Op>];

/** Returns functions that create client methods from API paths. The path parameters become the first arguments. */
export function createRoutes(transport: Transport) {
  return { ...createReads(transport), ...createWrites(transport) };
}

function createReads(transport: Transport) {
  return {
    /** Creates `(...ids, query?, options?)`, which returns all pages of a list. */
    list:
      <Path extends PathsWith<'get'>>(path: Path) =>
      (
        ...args: [...Ids<Path>, query?: QueryOf<Operation<Path, 'get'>>, options?: CallOptions]
      ): Pages<ItemOf<ResponseOf<Operation<Path, 'get'>>>> => {
        const { params, rest } = splitArguments(path, args);
        const [query, options] = rest as [object?, CallOptions?];
        return createPages(async (cursor) => {
          const request = { ...options, params, query: { ...query, ...(cursor && { cursor }) } };
          return toPage(await transport('GET', path, request));
        });
      },

    /** Creates `(...ids, query?, options?)`, which returns a resource. */
    get:
      <Path extends PathsWith<'get'>>(path: Path) =>
      async (
        ...args: [...Ids<Path>, query?: QueryOf<Operation<Path, 'get'>>, options?: CallOptions]
      ): Result<Path, 'get'> => {
        const { params, rest } = splitArguments(path, args);
        const [query, options] = rest as [object?, CallOptions?];
        return unwrap(path, await transport('GET', path, { ...options, params, ...(query && { query }) }));
      },
  };
}

function createWrites(transport: Transport) {
  /** Sends `(...ids, body, options?)`. */
  const sendBody = async <Response>(
    method: string,
    path: string,
    args: readonly unknown[],
  ): Promise<Response> => {
    const { params, rest } = splitArguments(path, args);
    const [body, options] = rest as [unknown, UntypedOptions?];
    return unwrap(path, await transport(method, path, { ...options, params, body }));
  };
  /** Sends `(...ids, options?)`. */
  const sendEmpty = async <Response>(
    method: string,
    path: string,
    args: readonly unknown[],
  ): Promise<Response> => {
    const { params, rest } = splitArguments(path, args);
    return unwrap(path, await transport(method, path, { ...(rest[0] as CallOptions), params }));
  };
  return {
    /** Creates `(...ids, body, options?)`, which sends a POST with a body. */
    post:
      <Path extends PathsWith<'post'>>(path: Path) =>
      (
        ...args: [
          ...Ids<Path>,
          ...BodyArgument<Operation<Path, 'post'>>,
          options?: OptionsWithQuery<Operation<Path, 'post'>>,
        ]
      ): Result<Path, 'post'> =>
        sendBody('POST', path, args),

    /** Creates `(...ids, options?)`, which sends a POST without a body. */
    act:
      <Path extends PathsWith<'post'>>(path: Path) =>
      (...args: [...Ids<Path>, options?: CallOptions]): Result<Path, 'post'> =>
        sendEmpty('POST', path, args),

    /** Creates `(...ids, body, options?)`, which sends a PATCH (JSON merge patch). */
    patch:
      <Path extends PathsWith<'patch'>>(path: Path) =>
      (
        ...args: [...Ids<Path>, body: BodyOf<Operation<Path, 'patch'>>, options?: CallOptions]
      ): Result<Path, 'patch'> =>
        sendBody('PATCH', path, args),

    /** Creates `(...ids, options?)`, which sends a DELETE. */
    remove:
      <Path extends PathsWith<'delete'>>(path: Path) =>
      (...args: [...Ids<Path>, options?: CallOptions]): Promise<void> =>
        sendEmpty('DELETE', path, args),
  };
}

/** Returns the resource from a response. */
function unwrap<Response>(path: string, response: unknown): Response {
  const isWrapped = path.startsWith('/v1/') && response !== undefined;
  return (isWrapped ? (response as { data: unknown }).data : response) as Response;
}

/** Splits arguments into the path parameters, which come first, and the others. */
function splitArguments(path: string, args: readonly unknown[]) {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!);
  const params = Object.fromEntries(names.map((name, index) => [name, args[index] as string]));
  return { params, rest: args.slice(names.length) };
}
