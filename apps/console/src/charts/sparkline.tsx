import type { ReactNode } from 'react';
import type { ChartColor } from './chart-frame';
import classes from './chart.module.css';

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
  const maximum = Math.max(1, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) => `${index * step} ${height - 1 - ((value ?? 0) / maximum) * (height - 2)}`,
  );
  return (
    <svg
      className={`${classes.spark} ${classes.plot} ${classes[color]}`}
      style={{ width }}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      {points.length > 1 && <path className={classes.line} d={`M${points.join('L')}`} />}
    </svg>
  );
}
