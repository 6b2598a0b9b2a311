import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { formatPercent } from '../components/format-percent';
import { QueryContent } from '../components/query-content';
import { RelativeTime } from '../components/relative-time';
import { formatDuration } from '../components/time';
import { isPreset, presets, type Preset } from '../components/time-range';
import classes from './endpoints.module.css';

type Stats = Schemas['EndpointStatsResponse'];

const REFETCH_INTERVAL_MS = 15_000;

/** Renders the statistics of the attempts of an endpoint, for a time window that is stored in the URL. */
export function EndpointStats({ endpointId }: { endpointId: string }): ReactNode {
  const [search, setSearch] = useSearchParams();
  const requestedWindow = search.get('window') ?? '';
  const window: Preset = isPreset(requestedWindow) ? requestedWindow : '24h';
  const stats = useGet(
    '/operator/v1/webhooks/endpoints/{endpointId}/stats',
    { path: { endpointId }, query: { window } },
    { refetchInterval: REFETCH_INTERVAL_MS, keepPreviousData: true },
  );
  return (
    <section aria-label="Statistics">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Statistics</Title>
        <SegmentedControl
          size="xs"
          aria-label="Time range"
          value={window}
          onChange={(value) => setSearch(value === '24h' ? {} : { window: value }, { replace: true })}
          data={Object.keys(presets)}
        />
      </Group>
      <QueryContent query={stats}>{({ data }) => <Tiles stats={data} />}</QueryContent>
    </section>
  );
}

function Tiles({ stats }: { stats: Stats }): ReactNode {
  const formatMs = (value: number | null): string => (value === null ? '–' : formatDuration(value));
  return (
    <>
      <dl className={classes.tiles}>
        <Tile name="Attempts" value={`${stats.attempts.toLocaleString('en')}${stats.truncated ? '+' : ''}`} />
        <Tile
          name="Success rate"
          value={formatPercent(stats.success_rate)}
          note={stats.failed > 0 ? `${stats.failed.toLocaleString('en')} failed` : null}
        />
        <Tile name="Median duration" value={formatMs(stats.p50_duration_ms)} />
        <Tile name="p95 duration" value={formatMs(stats.p95_duration_ms)} />
        <Tile name="Last success" value={<RelativeTime at={stats.last_success_at} fallback="Never" />} />
        <Tile
          name="Last failure"
          value={<RelativeTime at={stats.last_failure_at} fallback="Never" />}
          note={
            stats.failing_since && (
              <>
                Failing since <RelativeTime at={stats.failing_since} />
              </>
            )
          }
        />
      </dl>
      {stats.truncated && (
        <Text size="xs" c="dimmed" mt={6}>
          Only the newest {stats.attempts.toLocaleString('en')} attempts, since{' '}
          <RelativeTime at={stats.since} />, are counted. There were more in this period.
        </Text>
      )}
    </>
  );
}

function Tile({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }): ReactNode {
  return (
    <div className={classes.tile}>
      <dt>{name}</dt>
      <dd>
        {value}
        {note && <small>{note}</small>}
      </dd>
    </div>
  );
}
