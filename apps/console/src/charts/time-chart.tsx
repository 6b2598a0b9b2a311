import { useElementSize } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { toWallTime, zoneName, type TimeZone } from '../components/time';
import { useTimeZone } from '../components/use-time-zone';
import { BucketPointer } from './bucket-pointer';
import { ChartFrame, type Series } from './chart-frame';
import classes from './chart.module.css';
import { Bars, Dots, Line, Lines } from './marks';
import { axisTicks, bucketAt, formatCompact, formatInteger, lineParts } from './scale';

interface TimeChartProps {
  title: string;
  /** The start of each bucket, ISO 8601. */
  timestamps: string[];
  series: Series[];
  /** Values of the previous period at the same positions, for comparison. For bars, the totals per bucket. */
  previous?: Omit<Series, 'color'> | null;
  /** Bars in one bucket are stacked; lines are not. */
  kind: 'bars' | 'lines';
  /** Formats a value. Default: as a whole number. */
  format?: (value: number) => string;
  height?: number;
  /** Returns the path of the records that a bucket counts. */
  bucketPath?: (index: number) => string;
}

const LEFT = 44;
const BOTTOM = 22;
const TOP = 6;

export function TimeChart(props: TimeChartProps): ReactNode {
  const { title, timestamps, series, kind, format = formatInteger, height = 200, bucketPath } = props;
  const { ref, width } = useElementSize();
  const zone = useTimeZone();
  const previous: Series | null = props.previous ? { ...props.previous, color: 'previous' } : null;
  const totals = timestamps.map((_, index) => {
    const values = series.map(({ values: all }) => all[index] ?? 0);
    const total = kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values, 0);
    return Math.max(total, previous?.values[index] ?? 0);
  });
  const isEmpty = totals.every((total) => total === 0);
  const labels = timestamps.map((time) => toWallTime(time, zone).slice(0, 16).replace('T', ' '));
  return (
    <ChartFrame
      title={title}
      series={previous ? [...series, previous] : series}
      axisLabel={`Time (${zoneName(Date.now(), zone)})`}
      labels={labels}
      format={format}
      labelPath={bucketPath}
    >
      <div ref={ref} className={classes.area} style={{ height }}>
        {isEmpty && <div className={classes.empty}>No data in this period</div>}
        {!isEmpty && width > 0 && (
          <Plot
            {...{ title, timestamps, series, previous, kind, format, height, bucketPath, width, zone }}
            ticks={axisTicks(Math.max(...totals))}
            labels={labels.map((label, index) => `${label} ${zoneName(timestamps[index]!, zone)}`)}
          />
        )}
      </div>
    </ChartFrame>
  );
}

interface PlotProps extends Required<Omit<TimeChartProps, 'bucketPath' | 'previous'>> {
  previous: Series | null;
  width: number;
  zone: TimeZone;
  ticks: number[];
  labels: string[];
  bucketPath: TimeChartProps['bucketPath'];
}

function Plot(props: PlotProps): ReactNode {
  const { title, timestamps, series, previous, kind, format, height, bucketPath } = props;
  const { width, zone, ticks, labels } = props;
  const [active, setActive] = useState<number | null>(null);
  const plot = { width: Math.max(0, width - LEFT), height: height - TOP - BOTTOM };
  const step = plot.width / Math.max(1, timestamps.length);
  const marks = {
    series,
    step,
    x: (index: number): number => LEFT + index * step,
    y: (value: number): number => TOP + plot.height * (1 - value / ticks.at(-1)!),
  };
  const band = { y: TOP, width: step, height: plot.height };
  // After a switch to a shorter time range, the active bucket may no longer exist.
  const index = active !== null && active < timestamps.length ? active : null;
  return (
    <>
      <svg
        className={classes.plot}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden="true"
        onPointerMove={({ clientX, currentTarget }) =>
          setActive(
            bucketAt(clientX - currentTarget.getBoundingClientRect().left - LEFT, step, timestamps.length),
          )
        }
        onPointerLeave={() => setActive(null)}
      >
        <Gridlines
          ticks={ticks}
          y={marks.y}
          width={width}
          format={kind === 'bars' ? formatCompact : format}
        />
        {index !== null && kind === 'bars' && <rect className={classes.band} x={marks.x(index)} {...band} />}
        {kind === 'bars' ? <Bars {...marks} /> : <Lines {...marks} />}
        {previous && (
          <Line
            color={previous.color}
            parts={lineParts(previous.values, (each) => marks.x(each) + step / 2, marks.y)}
          />
        )}
        {index !== null && kind === 'lines' && (
          <>
            <rect className={classes.crosshair} {...band} x={marks.x(index) + step / 2} width={1} />
            <Dots {...marks} index={index} />
          </>
        )}
        {tickIndexes(timestamps.length, plot.width).map((each) => (
          <text key={each} className={classes.label} x={marks.x(each)} y={height - 4}>
            {tickLabel(timestamps, each, zone)}
          </text>
        ))}
        {/* Only for the mouse. Keyboard users select buckets in BucketPointer, and the table has the same links. */}
        {bucketPath &&
          timestamps.map((time, each) => (
            <Link key={time} to={bucketPath(each)} tabIndex={-1}>
              <rect className={classes.hit} x={marks.x(each)} {...band} />
            </Link>
          ))}
      </svg>
      <BucketPointer
        {...{ title, labels, format, bucketPath, width, index }}
        series={previous ? [...series, previous] : series}
        onChange={setActive}
        center={(each) => marks.x(each) + step / 2}
      />
    </>
  );
}

interface GridlinesProps {
  ticks: number[];
  y: (value: number) => number;
  width: number;
  format: (value: number) => string;
}

function Gridlines({ ticks, y, width, format }: GridlinesProps): ReactNode {
  return ticks.map((tick) => (
    <g key={tick}>
      <line
        className={tick === 0 ? classes.axis : classes.grid}
        x1={LEFT}
        x2={width}
        y1={y(tick)}
        y2={y(tick)}
      />
      <text className={classes.label} x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
        {format(tick)}
      </text>
    </g>
  ));
}

/**
 * Returns the indexes of the buckets that get a time label. Their number is limited so that the labels do not overlap.
 */
function tickIndexes(count: number, width: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / 90))));
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}

/** Returns a bucket's time, or its day if the chart spans more than two days. */
function tickLabel(timestamps: string[], index: number, zone: TimeZone): string {
  const span = Date.parse(timestamps.at(-1)!) - Date.parse(timestamps[0]!);
  const text = toWallTime(timestamps[index]!, zone);
  return span > 2 * 86_400_000 ? text.slice(5, 10) : text.slice(11, 16);
}
