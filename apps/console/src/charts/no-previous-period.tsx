import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon';

interface NoPreviousPeriodProps {
  isCompared: boolean;
  /** The previous period's metrics; null if there are none. */
  previous: object | null;
}

/** Renders an explanation if the comparison is on but the previous period has no metrics. */
export function NoPreviousPeriod({ isCompared, previous }: NoPreviousPeriodProps): ReactNode {
  return (
    isCompared &&
    previous === null && (
      <Alert
        color="gray"
        icon={<Icon name="info" size={18} />}
        title="No comparison with the previous period"
        py="xs"
      >
        Nothing was recorded in the previous period, or the server no longer stores all of its records. To
        compare two periods, set WEBHOOK_RETENTION to at least the length of both together.
      </Alert>
    )
  );
}
