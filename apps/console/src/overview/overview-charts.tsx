import { Anchor, Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { BarList, type Bar } from '../charts/bar-list';
import type { ChartColor } from '../charts/chart-frame';
import { TimeChart } from '../charts/time-chart';
import type { Schemas } from '../http/client';
import { errorLabel } from '../components/explain-attempt';
import { UntrustedText } from '../components/untrusted-text';
import { formatDuration } from '../components/time';
import classes from './overview.module.css';
import { listPath } from './use-overview-params';
import { WorstEndpoints } from './worst-endpoints';

type Overview = Schemas['OverviewResponse'];
type StatusClass = Overview['byStatus'][number]['status'];

const statusColors: Record<StatusClass, ChartColor> = {
  '2xx': 'good',
  '3xx': 'warn',
  '4xx': 'bad',
  '5xx': 'bad',
  none: 'calm',
};

/** Renders the attempts over time, and their number by response status, error, event type and endpoint. */
export function OverviewCharts({ overview, project }: { overview: Overview; project: string }): ReactNode {
  const { range: time, series, byStatus, byError, byEvent } = overview;
  const timestamps = series.map((point) => point.at);
  const bar = (name: string, value: number, filters: Record<string, string>, color?: ChartColor): Bar => ({
    name,
    value,
    color,
    label: (
      <Anchor
        component={Link}
        to={listPath('/deliveries/attempts', { time, project_id: project, ...filters })}
        className={classes.url}
      >
        <UntrustedText text={name} oneLine />
      </Anchor>
    ),
  });
  return (
    <div className={classes.grid}>
      <Paper className={classes.wide}>
        <TimeChart
          title="Attempts"
          timestamps={timestamps}
          kind="bars"
          series={[
            { name: 'Succeeded', color: 'good', values: series.map(({ succeeded }) => succeeded) },
            { name: 'Failed', color: 'bad', values: series.map(({ failed }) => failed) },
          ]}
        />
      </Paper>
      <Paper>
        <BarList
          title="By response status"
          axisLabel="Response status"
          bars={byStatus.map(({ status, count }) =>
            bar(
              status === 'none' ? 'No response' : status,
              count,
              { status_class: status },
              statusColors[status],
            ),
          )}
        />
      </Paper>
      <Paper>
        <BarList
          title="By error"
          axisLabel="Error"
          bars={byError
            .filter(({ count }) => count > 0)
            .map(({ error, count }) => bar(errorLabel(error), count, { error }, 'bad'))}
          emptyText="No errors in this period"
        />
      </Paper>
      <Paper>
        <BarList
          title="By event type"
          axisLabel="Event type"
          bars={byEvent.map(({ event, attempts }) => bar(event, attempts, { event }))}
        />
      </Paper>
      <Paper>
        <TimeChart
          title="Response time (p95)"
          timestamps={timestamps}
          kind="lines"
          format={formatDuration}
          series={[{ name: 'p95', color: 'accent', values: series.map(({ p95Ms }) => p95Ms) }]}
        />
      </Paper>
      <Paper className={classes.wide}>
        <WorstEndpoints overview={overview} project={project} />
      </Paper>
    </div>
  );
}
