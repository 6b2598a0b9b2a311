import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Problem } from '../http/problem';
import { read } from '../http/queries';
import classes from './shell.module.css';

const EVERY_MS = 15_000;
const PATH = '/operator/v1/webhooks/dead-letters/count';

/** How many wait for somebody; nothing when none do. */
export function DeadLetterBadge(): ReactNode {
  const { data } = useQuery<{ count: number; isMore: boolean }, Problem>({
    queryKey: [PATH, 'badge'],
    queryFn: async ({ signal }) =>
      (await read(PATH, { query: { resolution: 'waiting' } }, signal)) as { count: number; isMore: boolean },
    refetchInterval: EVERY_MS,
  });
  if (!data || data.count === 0) return null;
  const text = `${data.count.toLocaleString('en')}${data.isMore ? '+' : ''}`;
  return (
    <span className={classes.badge} aria-label={`${text} unresolved`}>
      {text}
    </span>
  );
}
