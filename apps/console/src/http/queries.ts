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
import { asProblem, type Problem } from './problem';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Problem;
  }
}

/** Every path that can be read. */
export type ReadPath = { [P in keyof paths]: paths[P] extends { get: object } ? P : never }[keyof paths];

type Get<P extends ReadPath> = paths[P] extends { get: infer Operation } ? Operation : never;

/** What GET answers there. */
export type AnswerOf<P extends ReadPath> =
  Get<P> extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never;

/** `{path: {…}, query: {…}}` of GET there. */
export type ParamsOf<P extends ReadPath> = Get<P> extends { parameters: infer Params } ? Params : never;

/** Reads by any path; `useGet` is the typed way. */
export async function read(path: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
  try {
    const { data } = await api.GET(path as never, { params, signal } as never);
    return data;
  } catch (error) {
    throw signal?.aborted ? error : asProblem(error);
  }
}

interface ReadOptions<T> {
  /** Ask again every so many ms while the page is seen; it may depend on what was found last. */
  every?: number | false | ((found: T | undefined) => number | false);
  enabled?: boolean;
  /** Show the last answer while the next one, with other parameters, is on its way. */
  keep?: boolean;
}

/** Reads a path of the operator API: `useGet('/operator/v1/projects/{projectId}', {path: {projectId}})`. */
export function useGet<P extends ReadPath>(
  path: P,
  params?: Omit<ParamsOf<P>, 'header' | 'cookie'>,
  { every = false, enabled = true, keep = false }: ReadOptions<AnswerOf<P>> = {},
): UseQueryResult<AnswerOf<P>> {
  return useQuery({
    queryKey: [path, params ?? {}],
    queryFn: async ({ signal }) => (await read(path, params, signal)) as AnswerOf<P>,
    refetchInterval: typeof every === 'function' ? ({ state }) => every(state.data) : every,
    enabled,
    placeholderData: keep ? (last) => last : undefined,
  });
}

/** Makes everything that was read below these paths be read again. */
export function useRefresh(): (...prefixes: string[]) => Promise<void> {
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
 * An action: `useSend((reason: string) => data(api.POST(…)), '/operator/v1/webhooks/')`. What is below the prefixes is
 * read again afterwards, also after a refusal: somebody else may have been faster.
 */
export function useSend<Input, Output>(
  send: (input: Input) => Promise<Output>,
  ...refreshed: string[]
): UseMutationResult<Output, Problem, Input> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (input) =>
      send(input).catch((error: unknown) => {
        throw asProblem(error);
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
