import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AttemptsPath } from '../deliveries/attempt-bars';
import { changeRenderer } from '../charts/change';
import { formatInteger } from '../charts/scale';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { formatPercent } from '../components/format-percent';
import { RelativeTime } from '../components/relative-time';
import { formatDuration } from '../components/time';
import classes from './endpoints.module.css';

type Metrics = Schemas['EndpointMetricsResponse'];

interface EndpointTilesProps {
  endpointId: string;
  metrics: Metrics;
  isCompared: boolean;
  pathTo: AttemptsPath;
}

const successRate = ({ attempts, succeeded }: Metrics['totals']): number | null =>
  attempts === 0 ? null : succeeded / attempts;

const percentiles = [
  ['Median', 'p50_ms'],
  ['p95', 'p95_ms'],
  ['p99', 'p99_ms'],
] as const;

/** Renders an endpoint's key metrics, with links to the attempts that they count. */
export function EndpointTiles({ endpointId, metrics, isCompared, pathTo }: EndpointTilesProps): ReactNode {
  const { totals } = metrics;
  const change = changeRenderer(isCompared, totals, metrics.previous?.totals);
  const { data: stats } = useGet('/operator/v1/webhooks/endpoints/{endpointId}/stats', {
    path: { endpointId },
    query: { window: '24h' },
  });
  const health = stats?.data;
  return (
    <dl className={classes.tiles}>
      <Tile
        name="Attempts"
        value={formatInteger(totals.attempts)}
        change={change(({ attempts }) => attempts, formatInteger)}
        to={pathTo({})}
      />
      <Tile
        name="Failed"
        value={formatInteger(totals.failed)}
        change={change(({ failed }) => failed, formatInteger, 'less')}
        to={pathTo({ success: 'false' })}
      />
      <Tile
        name="Success rate"
        value={formatPercent(successRate(totals))}
        change={change(successRate, formatPercent, 'more', 'points')}
        to={pathTo({ success: 'true' })}
      />
      {percentiles.map(([name, field]) => (
        <Tile
          key={field}
          name={name}
          value={formatMs(totals[field])}
          change={change((each) => each[field], formatDuration, 'less')}
        />
      ))}
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
  /** The change from the previous period. */
  change?: ReactNode;
  /** The path of the attempts that the value counts. */
  to?: string;
}

function Tile({ name, value, note, change, to }: TileProps): ReactNode {
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
        {change}
        {note && <small>{note}</small>}
      </dd>
    </div>
  );
}
