import { Tooltip } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { formatBothTimes, formatRelativeTime } from './time';
import { useTimeZone } from './use-time-zone';

const TICK_MS = 5_000;
const listeners = new Set<() => void>();
let current = Date.now();

setInterval(() => {
  current = Date.now();
  for (const listener of listeners) listener();
}, TICK_MS);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Returns the current time in ms since 1970, updated every 5 s. The whole page uses one timer. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => current);

/** Renders a time as "5m ago", with the local time and UTC in the tooltip. `fallback` is shown for null. */
export function RelativeTime({
  at,
  fallback = '–',
}: {
  at: string | null | undefined;
  fallback?: string;
}): ReactNode {
  const now = useNow();
  const zone = useTimeZone();
  if (!at) return fallback;
  return (
    <Tooltip label={formatBothTimes(at, zone).join('\n')} style={{ whiteSpace: 'pre' }}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {formatRelativeTime(Date.parse(at), Math.max(now, Date.now() - TICK_MS))}
      </time>
    </Tooltip>
  );
}
