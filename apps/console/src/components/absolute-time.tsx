import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatBothTimes } from './time';
import { useTimeZone } from './use-time-zone';

/** Renders a time to the millisecond in the zone of the operator, followed by UTC if that is another zone. */
export function AbsoluteTime({ at }: { at: string }): ReactNode {
  const [shown, other] = formatBothTimes(at, useTimeZone());
  const time = <time dateTime={at}>{shown}</time>;
  return other ? <Tooltip label={other}>{time}</Tooltip> : time;
}
