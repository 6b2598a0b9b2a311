import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { BarList, linkedBar } from '../charts/bar-list';
import { TimeChart } from '../charts/time-chart';
import { signInFailures } from '../customers/sign-in-failures';
import { bucketRange } from '../components/time-range';
import type { Schemas } from '../http/client';
import { listPath } from '../lists/list-path';
import classes from './overview.module.css';

type Identity = Schemas['IdentityOverviewResponse'];
type Point = Schemas['IdentityPoint'];

const methodLabels: Record<Schemas['SignInsByMethod']['method'], string> = {
  password: 'Password',
  email_code: 'Email code or link',
  passkey: 'Passkey',
  provider: 'Identity provider',
  sign_in_token: 'Sign-in token',
  other: 'Other',
};

/** Returns the path of the event list for a type. */
export const eventsPath = (types: string, time: string, project: string): string =>
  listPath('/events', { types, time, project_id: project });

/** Returns a part as a percentage, with one decimal; null without a total. */
const toPercent = (part: number | null, total: number | null): number | null =>
  part === null || !total ? null : Math.floor((part / total) * 1_000) / 10;

/** Renders sign-ups and sign-ins over time, and sign-ins by method, provider and failure reason. */
export function IdentityCharts({ identity, project }: { identity: Identity; project: string }): ReactNode {
  const { range, series, previous, byMethod, byProvider, byReason } = identity;
  const before = (name: string, valueOf: (point: Point) => number | null) =>
    previous && { name, values: previous.series.map(valueOf) };
  const timestamps = series.map(({ at }) => at);
  const timeOf = (index: number): string => bucketRange(timestamps[index]!, identity.bucketSeconds);
  const signIns = eventsPath('login.succeeded', range, project);
  const failures = eventsPath('login.failed', range, project);
  return (
    <div className={classes.grid}>
      <Paper className={classes.wide}>
        <TimeChart
          title="Sign-ins"
          timestamps={timestamps}
          kind="bars"
          bucketPath={(index) => eventsPath('login.succeeded,login.failed', timeOf(index), project)}
          series={[
            { name: 'Succeeded', color: 'good', values: series.map((point) => point.signIns) },
            { name: 'Failed', color: 'bad', values: series.map((point) => point.failedSignIns) },
          ]}
          previous={before('All in the previous period', (point) => point.signIns + point.failedSignIns)}
        />
      </Paper>
      <Paper>
        <TimeChart
          title="Sign-ups"
          timestamps={timestamps}
          kind="bars"
          bucketPath={(index) => listPath('/customers', { created: timeOf(index), projectId: project })}
          series={[{ name: 'Sign-ups', color: 'accent', values: series.map((point) => point.signUps) }]}
          previous={before('Previous period', (point) => point.signUps)}
        />
      </Paper>
      <Paper>
        <TimeChart
          title="Lockouts"
          timestamps={timestamps}
          kind="bars"
          bucketPath={(index) => eventsPath('customer.locked', timeOf(index), project)}
          series={[{ name: 'Lockouts', color: 'warn', values: series.map((point) => point.lockouts) }]}
          previous={before('Previous period', (point) => point.lockouts)}
        />
      </Paper>
      <Paper>
        <BarList
          title="Sign-ins by method"
          axisLabel="Method"
          unit="Sign-ins"
          bars={byMethod.map(({ method, count }) => linkedBar(methodLabels[method], count, signIns))}
        />
      </Paper>
      <Paper>
        <BarList
          title="Sign-ins by identity provider"
          axisLabel="Identity provider"
          unit="Sign-ins"
          emptyText="No sign-ins with an identity provider in this period"
          bars={byProvider.map(({ provider, count }) => linkedBar(provider, count, signIns))}
        />
      </Paper>
      <Paper>
        <BarList
          title="Failed sign-ins by reason"
          axisLabel="Reason"
          unit="Failed sign-ins"
          emptyText="No failed sign-ins in this period"
          bars={byReason.map(({ reason, count }) =>
            linkedBar(signInFailures[reason], count, failures, 'bad'),
          )}
        />
      </Paper>
      <Paper>
        <TimeChart
          title="With a second factor"
          timestamps={timestamps}
          kind="lines"
          format={(value) => `${value}%`}
          series={[
            {
              name: 'Sign-ins',
              color: 'accent',
              values: series.map((point) => toPercent(point.signInsWithSecondFactor, point.signIns)),
            },
            {
              name: 'Active customers',
              color: 'good',
              values: series.map((point) =>
                toPercent(point.activeCustomersWithFactor, point.activeCustomers),
              ),
            },
          ]}
          previous={before('Sign-ins in the previous period', (point) =>
            toPercent(point.signInsWithSecondFactor, point.signIns),
          )}
        />
      </Paper>
    </div>
  );
}
