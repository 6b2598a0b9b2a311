import { Alert, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../http/client';
import { asProblem, type Problem } from '../http/problem';
import { ForeignText } from '../parts/foreign-text';
import { Icon } from '../parts/icon';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { RelativeTime } from '../parts/relative-time';
import { Badge } from '../parts/status-badge';
import { duration } from '../parts/time';
import {
  billingInWords,
  capped,
  databaseVerdict,
  faultsOf,
  mailVerdict,
  queueVerdict,
  redisVerdict,
  workersVerdict,
  workerVerdict,
  type Health,
  type HealthWorker,
  type Verdict,
} from './health';
import classes from './health.module.css';
import { TestMail } from './test-mail';

const PATH = '/operator/v1/health';
const EVERY_MS = 5_000;

interface Reading {
  health: Health;
  /** The house's own time, ms since 1970: the clock of this computer may be another. */
  now: number;
}

function useHealth(): UseQueryResult<Reading, Problem> {
  return useQuery({
    queryKey: [PATH, {}],
    queryFn: async ({ signal }) => {
      try {
        const { data, response } = await api.GET(PATH, { signal });
        const date = Date.parse(response.headers.get('date') ?? '');
        return { health: data!, now: Number.isNaN(date) ? Date.now() : date };
      } catch (error) {
        throw signal.aborted ? error : asProblem(error);
      }
    },
    refetchInterval: EVERY_MS,
  });
}

/** How the house is, asked again every few seconds. */
export function HealthScreen(): ReactNode {
  const found = useHealth();
  return (
    <Page title="Health" about={found.data && <>Refreshes every {duration(EVERY_MS)}.</>}>
      <Loaded query={found}>
        {(reading) => (
          <Stack>
            <Summary {...reading} />
            <Parts {...reading} />
            <Workers workers={reading.health.workers} now={reading.now} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Summary({ health, now }: Reading): ReactNode {
  const faults = faultsOf(health, now);
  const isBad = faults.some(({ verdict }) => verdict.tone === 'bad');
  if (faults.length === 0) {
    return (
      <Alert
        role="status"
        color="green"
        icon={<Icon name="check" size={20} />}
        title="All systems operational"
      />
    );
  }
  return (
    <Alert
      role="status"
      color={isBad ? 'red' : 'yellow'}
      icon={<Icon name="alert" size={20} />}
      title={isBad ? 'Action required' : 'Needs attention'}
    >
      <Stack gap={4}>
        {faults.map(({ name, verdict }) => (
          <Text key={name}>
            <b>
              {name}: {verdict.word.toLowerCase()}.
            </b>{' '}
            {verdict.why}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

function Parts({ health, now }: Reading): ReactNode {
  const { database, queue, mail } = health;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      <Part name="Gatehouse" verdict={{ tone: 'good', word: 'Operational' }}>
        <Lines
          of={{
            Version: health.version,
            'Node.js': health.node,
            Started: <RelativeTime at={health.startedAt} />,
            Billing: billingInWords(health.billing),
          }}
        />
      </Part>
      <Part name="Database" verdict={databaseVerdict(database)}>
        <Lines
          of={{
            PostgreSQL: database.version,
            Migrations: `${database.migrations.applied} applied, ${database.migrations.pending} pending`,
          }}
        />
      </Part>
      <Part name="Redis" verdict={redisVerdict(health.redis)}>
        <Text c="dimmed">
          {health.redis === 'not_configured'
            ? 'Redis is optional. PostgreSQL stores the queue.'
            : 'Notifies the workers of due deliveries and shares rate limits between processes.'}
        </Text>
      </Part>
      <Part name="Queue" verdict={queueVerdict(queue, now)}>
        <Lines
          of={{
            Pending: capped(queue.pending),
            'Due now': capped(queue.due),
            'Oldest due': <RelativeTime at={queue.oldestDueAt} none="None" />,
            'In progress': capped(queue.inFlight),
            ...(queue.jobs === null ? {} : { 'Jobs in Redis': queue.jobs.toLocaleString('en') }),
          }}
        />
      </Part>
      <Part name="Email" verdict={mailVerdict(mail, now)} action={mail.configured && <TestMail />}>
        {mail.configured ? (
          <Lines
            of={{
              Waiting: capped(mail.pending),
              'Failed in the last 30 days': capped(mail.failed),
              'Oldest waiting': <RelativeTime at={mail.oldestPendingAt} none="None" />,
            }}
          />
        ) : (
          <Text c="dimmed">No mail server is configured. Set SMTP_URL to send emails.</Text>
        )}
      </Part>
    </SimpleGrid>
  );
}

/** Names at the left, values at the right: many cards of few lines. */
function Lines({ of }: { of: Record<string, ReactNode> }): ReactNode {
  return (
    <dl className={classes.lines}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface PartProps {
  name: string;
  verdict: Verdict;
  action?: ReactNode;
  children: ReactNode;
}

function Part({ name, verdict, action, children }: PartProps): ReactNode {
  return (
    <Paper component="section" aria-label={name}>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{name}</Title>
        <Badge tone={verdict.tone}>{verdict.word}</Badge>
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
  const verdict = workersVerdict(workers);
  return (
    <Paper component="section" aria-label="Workers">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Workers</Title>
        <Badge tone={verdict.tone}>{verdict.word}</Badge>
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
  const { tone, word } = workerVerdict(worker);
  const silence = now - Date.parse(worker.seenAt);
  return (
    <li>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Text fw={600}>
          <ForeignText text={worker.host} />
        </Text>
        <Badge tone={tone}>{word}</Badge>
      </Group>
      <Lines
        of={{
          Version: worker.version,
          Started: <RelativeTime at={worker.startedAt} />,
          'Last reported': silence < 1_000 ? 'now' : `${duration(silence)} ago`,
          'In progress': worker.inFlight,
        }}
      />
    </li>
  );
}
