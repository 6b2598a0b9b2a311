import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCappedCount } from '../components/format-capped-count';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import classes from './shell.module.css';

const REFETCH_INTERVAL_MS = 15_000;
const COUNT_PATH = '/operator/v1/webhooks/dead-letters/count';

/** Renders the number of unresolved dead letters, or nothing if there are none. */
export function DeadLetterBadge(): ReactNode {
  const { data } = useQuery<{ count: number; isMore: boolean }, Problem>({
    queryKey: [COUNT_PATH, 'badge'],
    queryFn: async ({ signal }) =>
      (await fetchPath(COUNT_PATH, { query: { resolution: 'waiting' } }, signal)) as {
        count: number;
        isMore: boolean;
      },
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  if (!data || data.count === 0) return null;
  const text = formatCappedCount(data.count, data.isMore);
  return (
    <span className={classes.badge} aria-label={`${text} unresolved`}>
      {text}
    </span>
  );
}
