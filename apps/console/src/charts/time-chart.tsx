import { useElementSize } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { formatUtcTime } from '../parts/time';
import { ChartFrame, formatValue, type Series } from './chart-frame';
import classes from './chart.module.css';
import { formatCompact, axisMaximum, formatInteger } from './scale';

interface TimeChartProps {
  title: string;
  /** The begin of each bucket, ISO 8601. */
  timestamps: string[];
  series: Series[];
  /** Bars of one bucket stand on each other; lines do not. */
  kind: 'bars' | 'lines';
  /** Whole numbers by default. */
  format?: (value: number) => string;
  height?: number;
}

const LEFT = 44;
const BOTTOM = 20;
const TOP = 6;

/** Values over time. */
export function TimeChart({
  title,
  timestamps,
  series,
  kind,
  format = formatInteger,
  height = 190,
}: TimeChartProps): ReactNode {
  const { ref, width } = useElementSize();
  const totals = timestamps.map((_, index) => {
    const values = series.map(({ values: all }) => all[index] ?? 0);
    return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values, 0);
  });
  const top = axisMaximum(Math.max(0, ...totals));
  const isEmpty = totals.every((total) => total === 0);
  const plot = { width: Math.max(0, width - LEFT), height: height - TOP - BOTTOM };
  const step = plot.width / Math.max(1, timestamps.length);
  const y = (value: number): number => TOP + plot.height * (1 - value / top);
  const x = (index: number): number => LEFT + index * step;
  const labels = timestamps.map((time) => formatUtcTime(time).slice(0, 16));
  const tooltip = (index: number): string =>
    [
      `${labels[index]} UTC`,
      ...series.map(({ name, values }) => `${name}: ${formatValue(values[index], format)}`),
    ].join('\n');

  return (
    <ChartFrame title={title} series={series} axisLabel="Time (UTC)" labels={labels} format={format}>
      <div ref={ref} style={{ height }}>
        {isEmpty && <div className={classes.empty}>No data in this period</div>}
        {!isEmpty && width > 0 && (
          <svg className={classes.plot} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
            {[0, 0.5, 1].map((part) => (
              <g key={part}>
                <line className={classes.grid} x1={LEFT} x2={width} y1={y(top * part)} y2={y(top * part)} />
                <text className={classes.label} x={LEFT - 6} y={y(top * part) + 4} textAnchor="end">
                  {kind === 'bars' ? formatCompact(top * part) : format(top * part)}
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
                {tickLabel(timestamps, index)}
              </text>
            ))}
            {timestamps.map((time, index) => (
              <rect key={time} className={classes.hit} x={x(index)} y={TOP} width={step} height={plot.height}>
                <title>{tooltip(index)}</title>
              </rect>
            ))}
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
    let below = 0;
    return series.map(({ name, color, values }) => {
      const value = values[index] ?? 0;
      if (value === 0) return null;
      below += value;
      const bar = { x: x(index) + gap / 2, width: Math.max(0.5, step - gap), y: y(below) };
      return (
        <g key={`${name} ${index}`} className={classes[color]}>
          <rect className={classes.mark} {...bar} height={y(below - value) - bar.y} rx={step > 8 ? 1.5 : 0} />
        </g>
      );
    });
  });
}

/** Lines with gaps where nothing was measured; a value alone between two gaps is a dot. */
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

/** Which buckets have their time written below them: so many that the words do not touch. */
function tickIndexes(count: number, width: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / 90))));
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}

/** The time of a bucket; its day where the whole chart spans more than two. */
function tickLabel(at: string[], index: number): string {
  const span = Date.parse(at.at(-1)!) - Date.parse(at[0]!);
  const text = formatUtcTime(at[index]!);
  return span > 2 * 86_400_000 ? text.slice(5, 10) : text.slice(11, 16);
}
