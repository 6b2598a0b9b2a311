import {
  QueryClient,
  type Query,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from './client';
import { ifMatch, mergeUpdated, rememberTag, resourceOf, shareWithTag, type IfMatch } from './entity-tags';
import type { paths } from './openapi';
import { toProblem, type Problem } from './problem';
import { useReauthentication } from './reauthentication';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Problem;
  }
}

/** The paths that support GET. */
export type GetPath = { [P in keyof paths]: paths[P] extends { get: object } ? P : never }[keyof paths];

type GetOperation<P extends GetPath> = paths[P] extends { get: infer Operation } ? Operation : never;

/** The body of a path's GET response. */
export type ResponseOf<P extends GetPath> =
  GetOperation<P> extends { responses: { 200: { content: { 'application/json': infer Body } } } }
    ? Body
    : never;

/** The GET parameters: `{path: {…}, query: {…}}`. */
export type ParamsOf<P extends GetPath> =
  GetOperation<P> extends { parameters: infer Params } ? Params : never;

/** Sends GET to any path. `useGet` is the typed alternative. */
export async function fetchPath(path: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
  try {
    const { data, response } = await api.GET(path as never, { params, signal } as never);
    rememberTag(data, response);
    return data;
  } catch (error) {
    throw signal?.aborted ? error : toProblem(error);
  }
}

interface GetOptions<T> {
  /** Interval between repeated requests in ms, while the page is visible. It can depend on the last response. */
  refetchInterval?: number | false | ((response: T | undefined) => number | false);
  enabled?: boolean;
  /** Shows the previous response until a request with other parameters has finished. */
  keepPreviousData?: boolean;
}

/** Reads a path in the operator API: `useGet('/operator/v1/projects/{projectId}', {path: {projectId}})`. */
export function useGet<P extends GetPath>(
  path: P,
  params?: Omit<ParamsOf<P>, 'header' | 'cookie'>,
  { refetchInterval = false, enabled = true, keepPreviousData = false }: GetOptions<ResponseOf<P>> = {},
): UseQueryResult<ResponseOf<P>> {
  return useQuery({
    queryKey: [path, params ?? {}],
    queryFn: async ({ signal }) => (await fetchPath(path, params, signal)) as ResponseOf<P>,
    refetchInterval:
      typeof refetchInterval === 'function' ? ({ state }) => refetchInterval(state.data) : refetchInterval,
    enabled,
    structuralSharing: shareWithTag,
    placeholderData: keepPreviousData ? (last) => last : undefined,
  });
}

/** Returns a function that reloads all data whose path starts with one of the prefixes. */
export function useInvalidate(): (...prefixes: string[]) => Promise<void> {
  const client = useQueryClient();
  return useCallback(
    (...prefixes) =>
      client.invalidateQueries({
        predicate: ({ queryKey: [path] }) => prefixes.some((prefix) => String(path).startsWith(prefix)),
      }),
    [client],
  );
}

/**
 * Returns a mutation: `useApiMutation((reason: string) => unwrap(api.POST(…)), '/operator/v1/webhooks/')`. Afterwards,
 * all data whose path starts with one of the prefixes is reloaded, even after a rejected request, because another
 * operator may have made a change. If the API requires reauthentication, a dialog requests it from the operator, and
 * the request is repeated.
 */
export function useApiMutation<Input, Output>(
  send: (input: Input) => Promise<Output>,
  ...prefixes: string[]
): UseMutationResult<Output, Problem, Input> {
  const invalidate = useInvalidate();
  const reauthenticate = useReauthentication();
  const sendOnce = (input: Input): Promise<Output> =>
    send(input).catch((error: unknown) => {
      throw toProblem(error);
    });
  return useMutation({
    mutationFn: (input) =>
      sendOnce(input).catch(async (problem: Problem) => {
        if (problem.code !== 'reauthentication_required' || !(await reauthenticate())) throw problem;
        return sendOnce(input);
      }),
    // Not awaited: a slow or failed reload is not part of the action.
    onSettled: () => void invalidate(...prefixes),
  });
}

/**
 * Returns a mutation that updates a resource that `useGet` has loaded. If the resource was changed in the meantime, the
 * mutation loads it again and fails with `precondition_failed`. The response replaces the loaded data.
 * @param send sends the PATCH with the `If-Match` header
 */
export function useApiUpdate<Input, Body extends object>(
  resource: object,
  send: (input: Input, header: IfMatch) => Promise<{ data?: Body; response: Response }>,
  ...prefixes: string[]
): UseMutationResult<Body, Problem, Input> {
  const client = useQueryClient();
  const resourceFilter = { predicate: ({ state }: Query) => resourceOf(state.data) === resource };
  return useApiMutation(
    async (input) => {
      try {
        const { data, response } = await send(input, ifMatch(resource));
        rememberTag(data, response);
        const updated = resourceOf(data) as object;
        client.setQueriesData(resourceFilter, (before: object) => mergeUpdated(before, updated));
        return data as Body;
      } catch (error) {
        if (toProblem(error).code === 'precondition_failed') await client.refetchQueries(resourceFilter);
        throw error;
      }
    },
    ...prefixes,
  );
}

/**
 * The query client. Rejected requests are not retried. If the server is unreachable, queries are retried twice. The
 * browser's online state is ignored (`networkMode`), because the server may be on the local network. A mutation's
 * response is removed from memory together with its dialog, because it may be a secret (requirement CO-05).
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      retry: (failures, problem) => failures < 2 && (problem.status === 0 || problem.status >= 502),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always', gcTime: 0 },
  },
});
