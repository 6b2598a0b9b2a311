import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useHasInstallationAccess } from '../session/roles';
import { NoPreviousPeriod } from '../charts/no-previous-period';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { formatCappedCount } from '../components/format-capped-count';
import { listDeliveryProblems, listProblems } from '../health/health';
import { HealthProblems } from '../health/health-problems';
import { Icon } from '../components/icon';
import { RelativeTime } from '../components/relative-time';
import { useHealth } from '../health/use-health';
import { OverviewCharts } from './overview-charts';
import { OverviewContent } from './overview-content';
import { OverviewMetrics } from './overview-metrics';
import { overviewOptions, REFETCH_INTERVAL_MS, type OverviewSelection } from './overview-options';

type Overview = Schemas['OverviewResponse'];

export function WebhookOverview(selection: OverviewSelection): ReactNode {
  const query = useGet('/operator/v1/overview', ...overviewOptions(selection));
  return (
    <OverviewContent query={query}>
      {(overview) => (
        <WebhookMetrics
          overview={overview}
          project={selection.project}
          isCompared={selection.isCompared && !query.isPlaceholderData}
        />
      )}
    </OverviewContent>
  );
}

interface WebhookMetricsProps {
  overview: Overview;
  project: string;
  isCompared: boolean;
}

function WebhookMetrics({ overview, project, isCompared }: WebhookMetricsProps): ReactNode {
  const { totals, deadLetters, pending, completeFrom, mailsOverLimit } = overview;
  const hasNoActivity = totals.attempts === 0 && deadLetters.waiting === 0 && pending.count === 0;
  return (
    <Stack gap="sm">
      {mailsOverLimit.count > 0 && <DroppedEmails emails={mailsOverLimit} />}
      {completeFrom && (
        <Alert color="gray" icon={<Icon name="clock" size={18} />} py="xs">
          Older attempts are still being counted. Metrics are complete from <RelativeTime at={completeFrom} />{' '}
          onward.
        </Alert>
      )}
      <Headline overview={overview} project={project} />
      <NoPreviousPeriod isCompared={isCompared} previous={overview.previous} />
      <OverviewMetrics overview={overview} project={project} isCompared={isCompared} />
      {hasNoActivity && <NoActivity />}
      <OverviewCharts overview={overview} project={project} />
    </Stack>
  );
}

/**
 * Shows the installation's problems. For a project, and for operators who are limited to organizations, shows the
 * delivery problems.
 */
function Headline({ overview, project }: { overview: Overview; project: string }): ReactNode {
  const isInstallation = useHasInstallationAccess() && project === '';
  const { data } = useHealth({ refetchInterval: REFETCH_INTERVAL_MS, enabled: isInstallation });
  const problems = isInstallation
    ? data && listProblems(data.health, data.now)
    : listDeliveryProblems(overview, project);
  return problems && problems.length > 0 && <HealthProblems problems={problems} />;
}

/** Renders a notice about emails that were dropped because of a project's limit. */
function DroppedEmails({ emails }: { emails: Overview['mailsOverLimit'] }): ReactNode {
  return (
    <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="Emails are being dropped">
      A project reached its email limit. Dropped in the last hour:{' '}
      {formatCappedCount(emails.count, emails.isMore)}. Check the{' '}
      <Anchor component={Link} to="/mails?state=dropped" inherit>
        dropped emails
      </Anchor>{' '}
      for automated registrations.
    </Alert>
  );
}

/**
 * Shown if there are no attempts in the period, no dead letters and no pending deliveries. It is possible that no
 * endpoint has been set up yet.
 */
function NoActivity(): ReactNode {
  return (
    <Alert color="gray" icon={<Icon name="info" size={18} />} title="No deliveries in this period">
      <Text mb="xs">
        Deliveries start when an event occurs that an enabled endpoint subscribes to. Add an endpoint and send
        it a test event, or select a longer period.
      </Text>
      <Button component={Link} to="/endpoints" variant="default" size="xs">
        Go to endpoints
      </Button>
    </Alert>
  );
}
