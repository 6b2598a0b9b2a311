import { Alert, Anchor, Group, Paper, SegmentedControl, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { ErrorBars, StatusBars, type AttemptsPath } from '../charts/attempt-bars';
import { formatInteger } from '../charts/scale';
import { TimeChart } from '../charts/time-chart';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { attemptsPath } from '../lists/list-path';
import { formatPercent } from '../components/format-percent';
import { Icon } from '../components/icon';
import { QueryContent } from '../components/query-content';
import { RelativeTime } from '../components/relative-time';
import { formatDuration } from '../components/time';
import { bucketRange, isPreset, presets, type Preset } from '../components/time-range';
import classes from './endpoints.module.css';

type Metrics = Schemas['EndpointMetricsResponse'];

const REFETCH_INTERVAL_MS = 15_000;

/** Renders the metrics of the attempts of an endpoint, for a time range that is stored in the URL. */
export function EndpointMetrics({ endpointId }: { endpointId: string }): ReactNode {
  const [search, setSearch] = useSearchParams();
  const requestedRange = search.get('window') ?? '';
  const range: Preset = isPreset(requestedRange) ? requestedRange : '24h';
  const metrics = useGet(
    '/operator/v1/webhooks/endpoints/{endpointId}/metrics',
    { path: { endpointId }, query: { range } },
    { refetchInterval: REFETCH_INTERVAL_MS, keepPreviousData: true },
  );
  return (
    <section aria-label="Metrics">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Metrics</Title>
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={range}
          onChange={(value) => setSearch(value === '24h' ? {} : { window: value }, { replace: true })}
          data={Object.entries(presets).map(([value, { label }]) => ({
            value,
            label: <span aria-label={label}>{value}</span>,
          }))}
        />
      </Group>
      <QueryContent query={metrics}>
        {({ data }) => <MetricsContent endpointId={endpointId} metrics={data} />}
      </QueryContent>
    </section>
  );
}

function MetricsContent({ endpointId, metrics }: { endpointId: string; metrics: Metrics }): ReactNode {
  const { range, series, bucket_seconds: bucketSeconds, complete_from: completeFrom } = metrics;
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
      <Tiles endpointId={endpointId} totals={metrics.totals} pathTo={pathTo} />
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

interface TilesProps {
  endpointId: string;
  totals: Metrics['totals'];
  pathTo: AttemptsPath;
}

function Tiles({ endpointId, totals, pathTo }: TilesProps): ReactNode {
  const { attempts, succeeded, failed } = totals;
  const { data: stats } = useGet('/operator/v1/webhooks/endpoints/{endpointId}/stats', {
    path: { endpointId },
    query: { window: '24h' },
  });
  const health = stats?.data;
  return (
    <dl className={classes.tiles}>
      <Tile name="Attempts" value={formatInteger(attempts)} to={pathTo({})} />
      <Tile name="Failed" value={formatInteger(failed)} to={pathTo({ success: 'false' })} />
      <Tile
        name="Success rate"
        value={formatPercent(attempts === 0 ? null : succeeded / attempts)}
        to={pathTo({ success: 'true' })}
      />
      <Tile name="Median" value={formatMs(totals.p50_ms)} />
      <Tile name="p95" value={formatMs(totals.p95_ms)} />
      <Tile name="p99" value={formatMs(totals.p99_ms)} />
      <Tile
        name="Last success"
        value={<RelativeTime at={health?.last_success_at ?? null} fallback="Never" />}
      />
      <Tile
        name="Last failure"
        value={<RelativeTime at={health?.last_failure_at ?? null} fallback="Never" />}
        note={
          health?.failing_since && (
            <>
              Failing since <RelativeTime at={health.failing_since} />
            </>
          )
        }
      />
    </dl>
  );
}

const formatMs = (value: number | null): string => (value === null ? '–' : formatDuration(value));

interface TileProps {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  /** The path of the attempts that the value counts. */
  to?: string;
}

function Tile({ name, value, note, to }: TileProps): ReactNode {
  return (
    <div className={classes.tile}>
      <dt>{name}</dt>
      <dd>
        {to ? (
          <Anchor component={Link} to={to} inherit>
            {value}
          </Anchor>
        ) : (
          value
        )}
        {note && <small>{note}</small>}
      </dd>
    </div>
  );
}
