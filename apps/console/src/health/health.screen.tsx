import { Alert, Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { UntrustedText } from '../components/untrusted-text';
import { formatCappedCount } from '../components/format-capped-count';
import { Icon } from '../components/icon';
import { QueryContent } from '../components/query-content';
import { InstallationOnly } from '../session/installation-only';
import { HealthProblems } from './health-problems';
import { Page } from '../components/page';
import { PageTabs } from '../components/page-tabs';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import { formatDuration } from '../components/time';
import {
  alertsStatus,
  billingLabel,
  databaseStatus,
  deadLettersStatus,
  endpointsStatus,
  listProblems,
  mailStatus,
  queueStatus,
  redisStatus,
  replicaStatus,
  workersStatus,
  workerStatus,
  type HealthWorker,
  type ComponentStatus,
} from './health';
import { useHealth, type HealthSnapshot } from './use-health';
import { Alerts } from './alerts';
import classes from './health.module.css';
import { TestMail } from './test-mail';

const REFETCH_INTERVAL_MS = 5_000;

export function HealthScreen(): ReactNode {
  return (
    <InstallationOnly title="Health">
      <InstallationHealth />
    </InstallationOnly>
  );
}

function InstallationHealth(): ReactNode {
  return (
    <Page title="Health" description={`Refreshes every ${formatDuration(REFETCH_INTERVAL_MS)}.`}>
      <PageTabs
        label="Health"
        tabs={{
          status: { label: 'Status', panel: () => <Status /> },
          alerts: { label: 'Alerts', panel: () => <Alerts /> },
        }}
      />
    </Page>
  );
}

/** The installation's health, reloaded every 5 s. */
function Status(): ReactNode {
  const query = useHealth({ refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <QueryContent query={query}>
      {(snapshot) => (
        <Stack>
          <Summary {...snapshot} />
          <HealthCards {...snapshot} />
          <Workers workers={snapshot.health.workers} now={snapshot.now} />
        </Stack>
      )}
    </QueryContent>
  );
}

function Summary({ health, now }: HealthSnapshot): ReactNode {
  const problems = listProblems(health, now);
  if (problems.length > 0) return <HealthProblems problems={problems} />;
  return (
    <Alert
      role="status"
      color="green"
      icon={<Icon name="check" size={20} />}
      title="All systems operational"
    />
  );
}

function HealthCards({ health, now }: HealthSnapshot): ReactNode {
  const { database, queue, mail } = health;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      <HealthCard name="Gatehouse" status={{ tone: 'good', label: 'Operational' }}>
        <CardRows
          rows={{
            Version: health.version,
            'Node.js': health.node,
            Started: <RelativeTime at={health.startedAt} />,
            Billing: billingLabel(health.billing),
          }}
        />
      </HealthCard>
      <HealthCard name="Database" status={databaseStatus(health)}>
        <CardRows
          rows={{
            PostgreSQL: database.version,
            Migrations: `${database.migrations.applied} applied, ${database.migrations.pending} pending`,
          }}
        />
      </HealthCard>
      {health.replica.state !== 'not_configured' && (
        <HealthCard name="Read replica" status={replicaStatus(health.replica)}>
          <CardRows
            rows={{
              Behind:
                health.replica.lagMs === null ? 'Unknown' : `At most ${formatDuration(health.replica.lagMs)}`,
            }}
          />
        </HealthCard>
      )}
      <HealthCard name="Redis" status={redisStatus(health.redis)}>
        <Text c="dimmed">
          {health.redis === 'not_configured'
            ? 'Redis is optional. PostgreSQL stores the queue.'
            : 'Notifies the workers of due deliveries and shares rate limits between processes.'}
        </Text>
      </HealthCard>
      <HealthCard name="Queue" status={queueStatus(queue, now)}>
        <CardRows
          rows={{
            Pending: formatCappedCount(queue.pending),
            'Due now': formatCappedCount(queue.due),
            'Oldest due': <RelativeTime at={queue.oldestDueAt} fallback="None" />,
            'In progress': formatCappedCount(queue.inFlight),
            ...(queue.jobs === null ? {} : { 'Jobs in Redis': queue.jobs.toLocaleString('en') }),
          }}
        />
      </HealthCard>
      <HealthCard name="Problems" status={problemsStatus(health)}>
        <CardRows
          rows={{
            'Dead letters': (
              <Anchor component={Link} to="/dead-letters" inherit>
                {formatCappedCount(queue.deadLetters)}
              </Anchor>
            ),
            'Disabled endpoints': (
              <Anchor component={Link} to="/endpoints?status=disabled_failing" inherit>
                {formatCappedCount(health.endpoints.disabled)}
              </Anchor>
            ),
            'Endpoints failing for an hour': (
              <Anchor component={Link} to="/endpoints?status=failing" inherit>
                {formatCappedCount(health.endpoints.failing)}
              </Anchor>
            ),
            'Open alerts': (
              <Anchor component={Link} to="/health?tab=alerts" inherit>
                {health.openAlerts.length}
              </Anchor>
            ),
          }}
        />
      </HealthCard>
      <HealthCard name="Email" status={mailStatus(mail, now)} action={mail.configured && <TestMail />}>
        {mail.configured ? (
          <CardRows
            rows={{
              Waiting: formatCappedCount(mail.pending),
              'Failed in the last 30 days': formatCappedCount(mail.failed),
              'Dropped in the last hour': formatCappedCount(mail.overLimit),
              'Oldest waiting': <RelativeTime at={mail.oldestPendingAt} fallback="None" />,
            }}
          />
        ) : (
          <Text c="dimmed">No mail server is configured. Set SMTP_URL to send emails.</Text>
        )}
      </HealthCard>
    </SimpleGrid>
  );
}

/** Returns the first status that needs attention, from dead letters, endpoints and alerts. */
const problemsStatus = ({ queue, endpoints, openAlerts }: HealthSnapshot['health']): ComponentStatus =>
  [deadLettersStatus(queue.deadLetters), endpointsStatus(endpoints), alertsStatus(openAlerts)].find(
    ({ tone }) => tone !== 'good',
  ) ?? { tone: 'good', label: 'None' };

/** Renders names on the left and values on the right, for cards with few rows. */
function CardRows({ rows }: { rows: Record<string, ReactNode> }): ReactNode {
  return (
    <dl className={classes.rows}>
      {Object.entries(rows).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface HealthCardProps {
  name: string;
  status: ComponentStatus;
  action?: ReactNode;
  children: ReactNode;
}

function HealthCard({ name, status, action, children }: HealthCardProps): ReactNode {
  return (
    <Paper component="section" aria-label={name}>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{name}</Title>
        <Badge tone={status.tone}>{status.label}</Badge>
      </Group>
      {children}
      {action && (
        <Group justify="flex-end" mt="sm">
          {action}
        </Group>
      )}
    </Paper>
  );
}

function Workers({ workers, now }: { workers: HealthWorker[]; now: number }): ReactNode {
  const status = workersStatus(workers);
  return (
    <Paper component="section" aria-label="Workers">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Workers</Title>
        <Badge tone={status.tone}>{status.label}</Badge>
      </Group>
      {workers.length === 0 ? (
        <Text c="dimmed">No webhook-worker has reported. Deliveries wait until a worker is started.</Text>
      ) : (
        <ul className={classes.workers}>
          {workers.map((worker) => (
            <Worker key={worker.id} worker={worker} now={now} />
          ))}
        </ul>
      )}
    </Paper>
  );
}

function Worker({ worker, now }: { worker: HealthWorker; now: number }): ReactNode {
  const { tone, label } = workerStatus(worker);
  const sinceLastReport = now - Date.parse(worker.seenAt);
  return (
    <li>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text fw={600}>
          <UntrustedText text={worker.host} />
        </Text>
        <Badge tone={tone}>{label}</Badge>
      </Group>
      <CardRows
        rows={{
          Version: worker.version,
          Started: <RelativeTime at={worker.startedAt} />,
          'Last reported': sinceLastReport < 1_000 ? 'now' : `${formatDuration(sinceLastReport)} ago`,
          'In progress': worker.inFlight,
        }}
      />
    </li>
  );
}
