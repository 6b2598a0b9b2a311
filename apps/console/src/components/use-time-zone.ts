import { useCallback } from 'react';
import { usePreferences } from '../http/preferences';
import { formatTime, type TimeZone } from './time';

/** Returns the operator's preferred time zone. */
export const useTimeZone = (): TimeZone => usePreferences().timeZone;

/** Returns a function that formats a time in this zone. */
export function useFormatTime(): (at: string | number) => string {
  const zone = useTimeZone();
  return useCallback((at) => formatTime(at, zone), [zone]);
}
