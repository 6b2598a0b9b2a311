import {
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from './client';
import type { paths } from './openapi';
import { toProblem, type Problem } from './problem';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Problem;
  }
}

/** Every path that can be read. */
export type GetPath = { [P in keyof paths]: paths[P] extends { get: object } ? P : never }[keyof paths];

type GetOperation<P extends GetPath> = paths[P] extends { get: infer Operation } ? Operation : never;

/** What GET answers there. */
export type ResponseOf<P extends GetPath> =
  GetOperation<P> extends { responses: { 200: { content: { 'application/json': infer Body } } } }
    ? Body
    : never;

/** `{path: {…}, query: {…}}` of GET there. */
export type ParamsOf<P extends GetPath> =
  GetOperation<P> extends { parameters: infer Params } ? Params : never;

/** Reads by any path; `useGet` is the typed way. */
export async function fetchPath(path: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
  try {
    const { data } = await api.GET(path as never, { params, signal } as never);
    return data;
  } catch (error) {
    throw signal?.aborted ? error : toProblem(error);
  }
}

interface GetOptions<T> {
  /** Ask again every so many ms while the page is seen; it may depend on what was found last. */
  refetchInterval?: number | false | ((found: T | undefined) => number | false);
  enabled?: boolean;
  /** Show the last answer while the next one, with other parameters, is on its way. */
  keepPreviousData?: boolean;
}

/** Reads a path of the operator API: `useGet('/operator/v1/projects/{projectId}', {path: {projectId}})`. */
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
    placeholderData: keepPreviousData ? (last) => last : undefined,
  });
}

/** Makes everything that was read below these paths be read again. */
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
 * An action: `useApiMutation((reason: string) => data(api.POST(…)), '/operator/v1/webhooks/')`. What is below the prefixes is
 * read again afterwards, also after a refusal: somebody else may have been faster.
 */
export function useApiMutation<Input, Output>(
  send: (input: Input) => Promise<Output>,
  ...refreshed: string[]
): UseMutationResult<Output, Problem, Input> {
  const refresh = useInvalidate();
  return useMutation({
    mutationFn: (input) =>
      send(input).catch((error: unknown) => {
        throw toProblem(error);
      }),
    onSettled: () => refresh(...refreshed),
  });
}

/**
 * What is refused is not asked again by itself; an unreachable house is, twice. Whether there is an internet says
 * nothing about the house, which may stand in the next room. What an action answered is forgotten with its dialog: it
 * may be a secret (requirement CO-05).
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
