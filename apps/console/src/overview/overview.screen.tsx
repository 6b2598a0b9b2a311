import { Alert, Anchor, Button, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { formatCappedCount } from '../components/format-capped-count';
import { Icon } from '../components/icon';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import { ProjectSelect } from '../components/record-select';
import { RelativeTime } from '../components/relative-time';
import { presets } from '../components/time-range';
import { OverviewCharts } from './overview-charts';
import { OverviewMetrics } from './overview-metrics';
import classes from './overview.module.css';
import { useOverviewParams } from './use-overview-params';

const REFETCH_INTERVAL_MS = 15_000;

export function OverviewScreen(): ReactNode {
  const { range, project, invalidRange, setParam } = useOverviewParams();
  const query = useGet(
    '/operator/v1/overview',
    { query: { range, ...(project && { projectId: project }) } },
    { refetchInterval: REFETCH_INTERVAL_MS, keepPreviousData: true, enabled: invalidRange === null },
  );
  return (
    <Page
      title="Overview"
      actions={
        <search aria-label="Filters" className={classes.filters}>
          <ProjectSelect value={project} onChange={(id) => setParam('project', id)} />
          <SegmentedControl
            aria-label="Time range"
            value={invalidRange === null ? range : ''}
            onChange={(value) => setParam('range', value)}
            data={Object.entries(presets).map(([value, { label }]) => ({
              value,
              label: <span aria-label={label}>{value}</span>,
            }))}
          />
        </search>
      }
    >
      {invalidRange !== null ? (
        <Alert color="gray" icon={<Icon name="info" size={18} />} title="Invalid time range">
          “{invalidRange}” is not a valid time range. Select one above.
        </Alert>
      ) : query.error?.fields.projectId ? (
        <Alert color="gray" icon={<Icon name="info" size={18} />} title="Select a project">
          Your organizations have too many projects to add up their metrics. Select a project above.
        </Alert>
      ) : (
        <QueryContent query={query} skeleton={<OverviewSkeleton />}>
          {(overview) => <OverviewContent overview={overview} project={project} />}
        </QueryContent>
      )}
    </Page>
  );
}

type Overview = Schemas['OverviewResponse'];

function OverviewContent({ overview, project }: { overview: Overview; project: string }): ReactNode {
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
      <OverviewMetrics overview={overview} project={project} />
      {hasNoActivity && <NoActivity />}
      <OverviewCharts overview={overview} project={project} />
    </Stack>
  );
}

/** Notifies the operator of emails that were dropped because of the limit of a project. */
function DroppedEmails({ emails }: { emails: Overview['mailsOverLimit'] }): ReactNode {
  return (
    <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="Emails are being dropped">
      A project reached its limit of emails. Dropped in the last hour:{' '}
      {formatCappedCount(emails.count, emails.isMore)}. Check the{' '}
      <Anchor component={Link} to="/mails?state=dropped" inherit>
        dropped emails
      </Anchor>{' '}
      for automated registrations.
    </Alert>
  );
}

/**
 * Shown if there are no attempts in the period, no dead letters and no pending deliveries. In this case,
 * perhaps no endpoint has been set up yet.
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

function OverviewSkeleton(): ReactNode {
  return (
    <Stack gap="sm">
      <div className={classes.metrics}>
        {Array.from({ length: 5 }, (_, index) => (
          <Skeleton key={index} h={92} radius="md" />
        ))}
      </div>
      <Skeleton h={260} radius="md" />
      <div className={classes.grid}>
        <Skeleton h={180} radius="md" />
        <Skeleton h={180} radius="md" />
      </div>
    </Stack>
  );
}
