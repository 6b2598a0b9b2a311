import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { attemptsPath, ErrorBars, StatusBars, type AttemptsPath } from '../deliveries/attempt-bars';
import { BarList, linkedBar } from '../charts/bar-list';
import { TimeChart } from '../charts/time-chart';
import type { Schemas } from '../http/client';
import { formatDuration } from '../components/time';
import { bucketRange } from '../components/time-range';
import classes from './overview.module.css';
import { WorstEndpoints } from './worst-endpoints';

type Overview = Schemas['OverviewResponse'];
/** Renders the attempts over time, and their counts by response status, error, event type and endpoint. */
export function OverviewCharts({ overview, project }: { overview: Overview; project: string }): ReactNode {
  const { range: time, series, previous, byStatus, byError, byEvent } = overview;
  const timestamps = series.map((point) => point.at);
  const pathTo: AttemptsPath = (filters) => attemptsPath({ time, project_id: project, ...filters });
  return (
    <div className={classes.grid}>
      <Paper className={classes.wide}>
        <TimeChart
          title="Attempts"
          timestamps={timestamps}
          kind="bars"
          bucketPath={(index) => pathTo({ time: bucketRange(timestamps[index]!, overview.bucketSeconds) })}
          series={[
            { name: 'Succeeded', color: 'good', values: series.map(({ succeeded }) => succeeded) },
            { name: 'Failed', color: 'bad', values: series.map(({ failed }) => failed) },
          ]}
          previous={
            previous && {
              name: 'All in the previous period',
              values: previous.series.map(({ succeeded, failed }) => succeeded + failed),
            }
          }
        />
      </Paper>
      <Paper>
        <StatusBars counts={byStatus} pathTo={pathTo} />
      </Paper>
      <Paper>
        <ErrorBars counts={byError} pathTo={pathTo} />
      </Paper>
      <Paper>
        <BarList
          title="By event type"
          axisLabel="Event type"
          bars={byEvent.map(({ event, attempts }) => linkedBar(event, attempts, pathTo({ event })))}
        />
      </Paper>
      <Paper>
        <TimeChart
          title="Response time (p95)"
          timestamps={timestamps}
          kind="lines"
          format={formatDuration}
          series={[{ name: 'p95', color: 'accent', values: series.map(({ p95Ms }) => p95Ms) }]}
          previous={
            previous && { name: 'Previous period', values: previous.series.map(({ p95Ms }) => p95Ms) }
          }
        />
      </Paper>
      <Paper className={classes.wide}>
        <WorstEndpoints overview={overview} project={project} />
      </Paper>
    </div>
  );
}
