import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatBothTimes } from './time';
import { useTimeZone } from './use-time-zone';

/** Renders a time to the millisecond in the operator's zone, followed by UTC if the zones differ. */
export function AbsoluteTime({ at }: { at: string }): ReactNode {
  const [shown, other] = formatBothTimes(at, useTimeZone());
  const time = <time dateTime={at}>{shown}</time>;
  return other ? <Tooltip label={other}>{time}</Tooltip> : time;
}
