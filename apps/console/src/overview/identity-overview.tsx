import { Alert, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { NoPreviousPeriod } from '../charts/no-previous-period';
import { Icon } from '../components/icon';
import { RelativeTime } from '../components/relative-time';
import { useGet } from '../http/queries';
import { IdentityCharts } from './identity-charts';
import { IdentityMetrics } from './identity-metrics';
import { OverviewContent } from './overview-content';
import { overviewOptions, type OverviewSelection } from './overview-options';

/** Renders the sign-up and sign-in metrics. */
export function IdentityOverview(selection: OverviewSelection): ReactNode {
  const { project } = selection;
  const query = useGet('/operator/v1/overview/identity', ...overviewOptions(selection));
  const isCompared = selection.isCompared && !query.isPlaceholderData;
  return (
    <OverviewContent query={query}>
      {(identity) => (
        <Stack gap="sm">
          {!identity.isComplete && (
            <Alert color="gray" icon={<Icon name="clock" size={18} />} py="xs">
              Events are still being counted. Metrics are complete up to <RelativeTime at={identity.to} />.
            </Alert>
          )}
          <NoPreviousPeriod isCompared={isCompared} previous={identity.previous} />
          <IdentityMetrics identity={identity} project={project} isCompared={isCompared} />
          <IdentityCharts identity={identity} project={project} />
        </Stack>
      )}
    </OverviewContent>
  );
}
