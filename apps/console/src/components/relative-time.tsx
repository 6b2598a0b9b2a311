import { useSyncExternalStore, type ReactNode } from 'react';
import { HoverTooltip } from './hover-tooltip';
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

/**
 * Renders a time as "5m ago", with the local time and UTC in the tooltip. Renders `fallback` for null. Re-renders only
 * when the text changes, because a list can contain thousands of timestamps.
 */
export function RelativeTime({
  at,
  fallback = '–',
}: {
  at: string | null | undefined;
  fallback?: string;
}): ReactNode {
  const text = useSyncExternalStore(
    subscribe,
    () => at && formatRelativeTime(Date.parse(at), Math.max(current, Date.now() - TICK_MS)),
  );
  const zone = useTimeZone();
  if (!at) return fallback;
  return (
    <HoverTooltip label={() => formatBothTimes(at, zone).join('\n')}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {text}
      </time>
    </HoverTooltip>
  );
}
