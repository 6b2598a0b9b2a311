import { Alert, Group, Paper, SegmentedControl, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { attemptsPath, ErrorBars, StatusBars, type AttemptsPath } from '../deliveries/attempt-bars';
import { CompareSwitch, comparison } from '../charts/compare-switch';
import { NoPreviousPeriod } from '../charts/no-previous-period';
import { TimeChart } from '../charts/time-chart';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { Icon } from '../components/icon';
import { QueryContent } from '../components/query-content';
import { RelativeTime } from '../components/relative-time';
import { formatDuration } from '../components/time';
import { useUpdateSearch } from '../components/use-update-search';
import { bucketRange, isPreset, presets, type Preset } from '../components/time-range';
import { EndpointTiles } from './endpoint-tiles';
import classes from './endpoints.module.css';

type Metrics = Schemas['EndpointMetricsResponse'];

const REFETCH_INTERVAL_MS = 15_000;

/** Renders metrics for an endpoint's attempts, for a time range that is stored in the URL. */
export function EndpointMetrics({ endpointId }: { endpointId: string }): ReactNode {
  const [search] = useSearchParams();
  const updateSearch = useUpdateSearch();
  const requestedRange = search.get('window') ?? '';
  const range: Preset = isPreset(requestedRange) ? requestedRange : '24h';
  const isCompared = search.get(comparison.name) === comparison.value;
  const setParam = (name: string, value: string): void =>
    updateSearch(
      (params) => {
        if (value === '') params.delete(name);
        else params.set(name, value);
      },
      { replace: true },
    );
  const metrics = useGet(
    '/operator/v1/webhooks/endpoints/{endpointId}/metrics',
    { path: { endpointId }, query: { range, ...(isCompared && { compare: comparison.value }) } },
    { refetchInterval: REFETCH_INTERVAL_MS, keepPreviousData: true },
  );
  return (
    <section aria-label="Metrics">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Metrics</Title>
        <Group gap="sm">
          <CompareSwitch isCompared={isCompared} onChange={(value) => setParam(comparison.name, value)} />
          <SegmentedControl
            size="xs"
            aria-label="Time range"
            value={range}
            onChange={(value) => setParam('window', value === '24h' ? '' : value)}
            data={Object.entries(presets).map(([value, { label }]) => ({
              value,
              label: <span aria-label={label}>{value}</span>,
            }))}
          />
        </Group>
      </Group>
      <QueryContent query={metrics}>
        {({ data }) => (
          <MetricsContent
            endpointId={endpointId}
            metrics={data}
            isCompared={isCompared && !metrics.isPlaceholderData}
          />
        )}
      </QueryContent>
    </section>
  );
}

interface MetricsContentProps {
  endpointId: string;
  metrics: Metrics;
  isCompared: boolean;
}

function MetricsContent({ endpointId, metrics, isCompared }: MetricsContentProps): ReactNode {
  const { range, series, previous, bucket_seconds: bucketSeconds, complete_from: completeFrom } = metrics;
  const pathTo: AttemptsPath = (filters) =>
    attemptsPath({ time: range, endpoint_id: endpointId, ...filters });
  const timestamps = series.map(({ at }) => at);
  const bucketPath = (index: number): string =>
    pathTo({ time: bucketRange(timestamps[index]!, bucketSeconds) });
  return (
    <Stack gap="sm">
      {completeFrom && (
        <Alert color="gray" icon={<Icon name="clock" size={18} />} py="xs">
          Older attempts are still being counted. Metrics are complete from <RelativeTime at={completeFrom} />{' '}
          onward.
        </Alert>
      )}
      <NoPreviousPeriod isCompared={isCompared} previous={previous} />
      <EndpointTiles {...{ endpointId, metrics, isCompared, pathTo }} />
      <div className={classes.charts}>
        <Paper className={classes.wide}>
          <TimeChart
            title="Attempts"
            timestamps={timestamps}
            kind="bars"
            bucketPath={bucketPath}
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
        <Paper className={classes.wide}>
          <TimeChart
            title="Response time"
            timestamps={timestamps}
            kind="lines"
            format={formatDuration}
            bucketPath={bucketPath}
            series={[
              { name: 'Median', color: 'calm', values: series.map(({ p50_ms: value }) => value) },
              { name: 'p95', color: 'accent', values: series.map(({ p95_ms: value }) => value) },
              { name: 'p99', color: 'warn', values: series.map(({ p99_ms: value }) => value) },
            ]}
            previous={
              previous && {
                name: 'p95 in the previous period',
                values: previous.series.map(({ p95_ms: value }) => value),
              }
            }
          />
        </Paper>
        <Paper>
          <StatusBars counts={metrics.by_status} pathTo={pathTo} />
        </Paper>
        <Paper>
          <ErrorBars counts={metrics.by_error} pathTo={pathTo} />
        </Paper>
      </div>
    </Stack>
  );
}
