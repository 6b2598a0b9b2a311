import type { ReactNode } from 'react';
import type { ChartColor } from './chart-frame';
import classes from './chart.module.css';
import { Line } from './marks';
import { condense, lineParts } from './scale';

/** The minimum distance between two values, in pixels. */
const STEP = 2.5;

interface SparklineProps {
  values: (number | null)[];
  /** Description for screen readers: "Attempts, 12 in the last hour". */
  label: string;
  color?: ChartColor;
  width?: number;
  height?: number;
}

/** Renders a line without axes, for table rows or beside a number. */
export function Sparkline({
  values,
  label,
  color = 'accent',
  width = 96,
  height = 24,
}: SparklineProps): ReactNode {
  const shown = condense(values, width / STEP);
  const maximum = Math.max(1, ...shown.map((value) => value ?? 0));
  const step = width / Math.max(1, shown.length - 1);
  const y = (value: number): number => height - 1 - (value / maximum) * (height - 2);
  return (
    <svg
      className={`${classes.spark} ${classes.plot}`}
      style={{ width }}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <Line color={color} parts={lineParts(shown, (index) => index * step, y)} axis={height} />
    </svg>
  );
}
