import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../http/client';
import { toProblem, type Problem } from '../http/problem';
import type { Health } from './health';

const PATH = '/operator/v1/health';

export interface HealthSnapshot {
  health: Health;
  /** The server's time, ms since 1970. The clock on this computer may differ. */
  now: number;
}

/** Reads the installation's health. */
export function useHealth({
  refetchInterval,
  enabled = true,
}: {
  /** In ms. */
  refetchInterval: number;
  enabled?: boolean;
}): UseQueryResult<HealthSnapshot, Problem> {
  return useQuery({
    queryKey: [PATH, {}],
    queryFn: async ({ signal }) => {
      try {
        const { data, response } = await api.GET(PATH, { signal });
        const date = Date.parse(response.headers.get('date') ?? '');
        // During an upgrade, an API process on the previous version does not return this field.
        const health = { ...data!, processProblems: data!.processProblems ?? [] };
        return { health, now: Number.isNaN(date) ? Date.now() : date };
      } catch (error) {
        throw signal.aborted ? error : toProblem(error);
      }
    },
    refetchInterval,
    enabled,
  });
}
