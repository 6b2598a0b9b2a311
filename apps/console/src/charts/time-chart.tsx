import { useElementSize } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { toWallTime, zoneName, type TimeZone } from '../components/time';
import { useTimeZone } from '../components/use-time-zone';
import { ChartFrame, formatValue, type Series } from './chart-frame';
import classes from './chart.module.css';
import { formatCompact, axisMaximum, formatInteger } from './scale';

interface TimeChartProps {
  title: string;
  /** The start of each bucket, ISO 8601. */
  timestamps: string[];
  series: Series[];
  /** Bars of one bucket are stacked; lines are not. */
  kind: 'bars' | 'lines';
  /** Formats a value. Default: as a whole number. */
  format?: (value: number) => string;
  height?: number;
  /** Returns the path of the records that a bucket counts. */
  bucketPath?: (index: number) => string;
}

const LEFT = 44;
const BOTTOM = 20;
const TOP = 6;

/** Renders values over time. */
export function TimeChart({
  title,
  timestamps,
  series,
  kind,
  format = formatInteger,
  height = 190,
  bucketPath,
}: TimeChartProps): ReactNode {
  const { ref, width } = useElementSize();
  const zone = useTimeZone();
  const totals = timestamps.map((_, index) => {
    const values = series.map(({ values: all }) => all[index] ?? 0);
    return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values, 0);
  });
  const maximum = axisMaximum(Math.max(0, ...totals));
  const isEmpty = totals.every((total) => total === 0);
  const plot = { width: Math.max(0, width - LEFT), height: height - TOP - BOTTOM };
  const step = plot.width / Math.max(1, timestamps.length);
  const y = (value: number): number => TOP + plot.height * (1 - value / maximum);
  const x = (index: number): number => LEFT + index * step;
  const labels = timestamps.map((time) => toWallTime(time, zone).slice(0, 16).replace('T', ' '));
  const tooltip = (index: number): string =>
    [
      `${labels[index]} ${zoneName(timestamps[index]!, zone)}`,
      ...series.map(({ name, values }) => `${name}: ${formatValue(values[index], format)}`),
    ].join('\n');

  return (
    <ChartFrame
      title={title}
      series={series}
      axisLabel={`Time (${zoneName(Date.now(), zone)})`}
      labels={labels}
      format={format}
      labelPath={bucketPath}
    >
      <div ref={ref} style={{ height }}>
        {isEmpty && <div className={classes.empty}>No data in this period</div>}
        {!isEmpty && width > 0 && (
          <svg className={classes.plot} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
            {[0, 0.5, 1].map((fraction) => (
              <g key={fraction}>
                <line
                  className={classes.grid}
                  x1={LEFT}
                  x2={width}
                  y1={y(maximum * fraction)}
                  y2={y(maximum * fraction)}
                />
                <text className={classes.label} x={LEFT - 6} y={y(maximum * fraction) + 4} textAnchor="end">
                  {kind === 'bars' ? formatCompact(maximum * fraction) : format(maximum * fraction)}
                </text>
              </g>
            ))}
            {kind === 'bars' ? (
              <Bars series={series} count={timestamps.length} x={x} y={y} step={step} />
            ) : (
              <Lines series={series} x={(index) => x(index) + step / 2} y={y} />
            )}
            {tickIndexes(timestamps.length, plot.width).map((index) => (
              <text key={index} className={classes.label} x={x(index)} y={height - 4}>
                {tickLabel(timestamps, index, zone)}
              </text>
            ))}
            {timestamps.map((time, index) => {
              const hit = (
                <rect
                  key={time}
                  className={classes.hit}
                  x={x(index)}
                  y={TOP}
                  width={step}
                  height={plot.height}
                >
                  <title>{tooltip(index)}</title>
                </rect>
              );
              // Only for the mouse: the table has the same links.
              return bucketPath ? (
                <Link key={time} to={bucketPath(index)} tabIndex={-1}>
                  {hit}
                </Link>
              ) : (
                hit
              );
            })}
          </svg>
        )}
      </div>
    </ChartFrame>
  );
}

interface PlotProps {
  series: Series[];
  x: (index: number) => number;
  y: (value: number) => number;
}

function Bars({ series, count, x, y, step }: PlotProps & { count: number; step: number }): ReactNode {
  const gap = step > 6 ? 1.5 : 0.25;
  return Array.from({ length: count }, (_, index) => {
    let stackedValue = 0;
    return series.map(({ name, color, values }) => {
      const value = values[index] ?? 0;
      if (value === 0) return null;
      stackedValue += value;
      const bar = { x: x(index) + gap / 2, width: Math.max(0.5, step - gap), y: y(stackedValue) };
      return (
        <g key={`${name} ${index}`} className={classes[color]}>
          <rect
            className={classes.mark}
            {...bar}
            height={y(stackedValue - value) - bar.y}
            rx={step > 8 ? 1.5 : 0}
          />
        </g>
      );
    });
  });
}

/** Renders lines with gaps where no value was measured. A single value between two gaps is a dot. */
function Lines({ series, x, y }: PlotProps): ReactNode {
  return series.map(({ name, color, values }) => {
    const isKnown = (index: number): boolean => values[index] !== null && values[index] !== undefined;
    const path = values
      .map((value, index) =>
        value === null
          ? ''
          : `${isKnown(index - 1) ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`,
      )
      .join('');
    return (
      <g key={name} className={classes[color]}>
        <path className={classes.line} d={path} />
        {values.map((value, index) =>
          value === null || isKnown(index - 1) || isKnown(index + 1) ? null : (
            <circle key={index} className={classes.mark} cx={x(index)} cy={y(value)} r={2.5} />
          ),
        )}
      </g>
    );
  });
}

/**
 * Returns the indexes of the buckets that are labeled with their time. Their number is limited so that the
 * labels do not overlap.
 */
function tickIndexes(count: number, width: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / 90))));
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}

/** Returns the time of a bucket, or its day if the chart spans more than two days. */
function tickLabel(timestamps: string[], index: number, zone: TimeZone): string {
  const span = Date.parse(timestamps.at(-1)!) - Date.parse(timestamps[0]!);
  const text = toWallTime(timestamps[index]!, zone);
  return span > 2 * 86_400_000 ? text.slice(5, 10) : text.slice(11, 16);
}
