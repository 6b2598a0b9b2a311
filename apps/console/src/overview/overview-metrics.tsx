import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { changeRenderer } from '../charts/change';
import { formatInteger } from '../charts/scale';
import { Sparkline } from '../charts/sparkline';
import type { Schemas } from '../http/client';
import { formatCappedCount } from '../components/format-capped-count';
import { formatPercent } from '../components/format-percent';
import { RelativeTime } from '../components/relative-time';
import type { Tone } from '../components/status-badge';
import { attemptsPath } from '../deliveries/attempt-bars';
import { listPath } from '../lists/list-path';
import { formatDuration } from '../components/time';
import classes from './overview.module.css';

type Overview = Schemas['OverviewResponse'];

interface MetricCardProps {
  name: string;
  value: string;
  note?: ReactNode;
  /** The change from the previous period. */
  change?: ReactNode;
  /** The values over time. */
  trend?: (number | null)[];
  to?: string;
  tone?: Tone;
}

/** Renders a number with its name, and links to what it counts. */
export function MetricCard({ name, value, note, change, trend, to, tone }: MetricCardProps): ReactNode {
  const content = (
    <>
      <div className={classes.name}>{name}</div>
      <div className={classes.value}>{value}</div>
      {change}
      <div className={classes.note}>
        <span>{note ?? '\u00a0'}</span>
        {trend && <Sparkline values={trend} label={`${name} over time`} width={52} height={18} />}
      </div>
    </>
  );
  const className = `${classes.metric} ${tone ? (classes[tone] ?? '') : ''}`;
  if (!to) return <Paper className={className}>{content}</Paper>;
  return (
    <Paper component={Link} to={to} className={className}>
      {content}
    </Paper>
  );
}

interface OverviewMetricsProps {
  overview: Overview;
  project: string;
  isCompared: boolean;
}

/** Renders the key metrics, with links to the records that they count. */
export function OverviewMetrics({ overview, project, isCompared }: OverviewMetricsProps): ReactNode {
  const { range: time, series, totals, deadLetters, pending } = overview;
  const change = changeRenderer(isCompared, totals, overview.previous?.totals);
  const pathTo = (filters: Record<string, string>): string =>
    attemptsPath({ time, project_id: project, ...filters });
  return (
    <div className={classes.metrics}>
      <MetricCard
        name="Attempts"
        value={formatInteger(totals.attempts)}
        note={`${formatInteger(totals.failed)} failed`}
        change={change(({ attempts }) => attempts, formatInteger)}
        trend={series.map(({ succeeded, failed }) => succeeded + failed)}
        to={pathTo({})}
      />
      <MetricCard
        name="Success rate"
        value={formatPercent(totals.successRate)}
        note={`${formatInteger(totals.succeeded)} succeeded`}
        change={change(({ successRate }) => successRate, formatPercent, 'more', 'points')}
        trend={series.map(({ succeeded, failed }) =>
          succeeded + failed === 0 ? null : succeeded / (succeeded + failed),
        )}
        tone={rateTone(totals.successRate)}
        to={totals.failed > 0 ? pathTo({ success: 'false' }) : undefined}
      />
      <MetricCard
        name="Response time (p95)"
        value={totals.p95Ms === null ? '–' : formatDuration(totals.p95Ms)}
        note={totals.p50Ms === null ? undefined : `Median ${formatDuration(totals.p50Ms)}`}
        change={change(({ p95Ms }) => p95Ms, formatDuration, 'less')}
        trend={series.map(({ p95Ms }) => p95Ms)}
      />
      <MetricCard
        name="Dead letters"
        value={formatCappedCount(deadLetters.waiting, deadLetters.isMore)}
        note={
          deadLetters.oldestAt ? (
            <>
              Oldest failed <RelativeTime at={deadLetters.oldestAt} />
            </>
          ) : (
            'None unresolved'
          )
        }
        tone={deadLetters.waiting > 0 ? 'warn' : undefined}
        to={listPath('/dead-letters', { project_id: project })}
      />
      <MetricCard
        name="Pending deliveries"
        value={formatCappedCount(pending.count, pending.isMore)}
        note={
          pending.oldestDueAt ? (
            <>
              Earliest due <RelativeTime at={pending.oldestDueAt} />
            </>
          ) : (
            'None due'
          )
        }
        to={listPath('/deliveries', { state: 'pending', project_id: project })}
      />
    </div>
  );
}

function rateTone(rate: number | null): Tone | undefined {
  if (rate === null) return undefined;
  if (rate >= 0.95) return 'good';
  return rate >= 0.8 ? 'warn' : 'bad';
}
