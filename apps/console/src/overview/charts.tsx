import { Anchor, Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { BarList, type Bar } from '../charts/bar-list';
import type { Ink } from '../charts/chart-frame';
import { TimeChart } from '../charts/time-chart';
import type { Schemas } from '../http/client';
import { errorName } from '../parts/attempt-error';
import { ForeignText } from '../parts/foreign-text';
import { duration } from '../parts/time';
import classes from './overview.module.css';
import { listLink } from './use-view';
import { WorstEndpoints } from './worst-endpoints';

type Overview = Schemas['OverviewResponse'];
type StatusClass = Overview['byStatus'][number]['status'];

const inks: Record<StatusClass, Ink> = {
  '2xx': 'good',
  '3xx': 'warn',
  '4xx': 'bad',
  '5xx': 'bad',
  none: 'calm',
};

/** How it went over time and where it went wrong. */
export function Charts({ overview, project }: { overview: Overview; project: string }): ReactNode {
  const { range: time, series, byStatus, byError, byEvent } = overview;
  const at = series.map((point) => point.at);
  const bar = (name: string, value: number, filters: Record<string, string>, ink?: Ink): Bar => ({
    name,
    value,
    ink,
    label: (
      <Anchor
        component={Link}
        to={listLink('/deliveries', { time, project_id: project, ...filters })}
        className={classes.url}
      >
        <ForeignText text={name} oneLine />
      </Anchor>
    ),
  });
  return (
    <div className={classes.grid}>
      <Paper className={classes.wide}>
        <TimeChart
          title="Attempts"
          at={at}
          kind="bars"
          series={[
            { name: 'Succeeded', ink: 'good', values: series.map(({ succeeded }) => succeeded) },
            { name: 'Failed', ink: 'bad', values: series.map(({ failed }) => failed) },
          ]}
        />
      </Paper>
      <Paper>
        <BarList
          title="By response status"
          axis="Response status"
          bars={byStatus.map(({ status, count }) =>
            bar(status === 'none' ? 'No response' : status, count, { status_class: status }, inks[status]),
          )}
        />
      </Paper>
      <Paper>
        <BarList
          title="By error"
          axis="Error"
          bars={byError
            .filter(({ count }) => count > 0)
            .map(({ error, count }) => bar(errorName(error), count, { error }, 'bad'))}
          empty="No errors in this period"
        />
      </Paper>
      <Paper>
        <BarList
          title="By event type"
          axis="Event type"
          bars={byEvent.map(({ event, attempts }) => bar(event, attempts, { event }))}
        />
      </Paper>
      <Paper>
        <TimeChart
          title="Response time (p95)"
          at={at}
          kind="lines"
          format={duration}
          series={[{ name: 'p95', ink: 'accent', values: series.map(({ p95Ms }) => p95Ms) }]}
        />
      </Paper>
      <Paper className={classes.wide}>
        <WorstEndpoints overview={overview} project={project} />
      </Paper>
    </div>
  );
}
