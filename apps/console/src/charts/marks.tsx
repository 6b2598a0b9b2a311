import { useId, type ReactNode } from 'react';
import type { ChartColor, Series } from './chart-frame';
import classes from './chart.module.css';
import { areaPath, barPath, lineParts, linePath, type Point } from './scale';

interface MarksProps {
  series: Series[];
  /** Returns a bucket's left edge. */
  x: (index: number) => number;
  y: (value: number) => number;
  /** A bucket's width. */
  step: number;
}

/** Renders the values of each bucket as stacked bars, with a one-pixel gap between them. */
export function Bars({ series, x, y, step }: MarksProps): ReactNode {
  const gap = Math.max(step > 6 ? 1.5 : 0.25, step * 0.24);
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  return Array.from({ length: count }, (_, index) => {
    const known = series.filter(({ values }) => (values[index] ?? 0) > 0);
    let stackedValue = 0;
    return known.map(({ name, color, values }, position) => {
      const isLast = position === known.length - 1;
      const bottom = y(stackedValue);
      stackedValue += values[index]!;
      const top = y(stackedValue) + (isLast ? 0 : 1);
      const corner = { x: x(index) + gap / 2, y: top };
      return (
        <path
          key={`${name} ${index}`}
          className={`${classes.mark} ${classes[color]}`}
          d={barPath(corner, Math.max(0.5, step - gap), Math.max(0.5, bottom - top), isLast ? 2 : 0)}
        />
      );
    });
  });
}

/** Renders lines with gaps where no value was measured. The area below a line is tinted if it is the only one. */
export function Lines({ series, x, y, step }: MarksProps): ReactNode {
  return series.map(({ name, color, values }) => (
    <Line
      key={name}
      color={color}
      parts={lineParts(values, (index) => x(index) + step / 2, y)}
      axis={series.length === 1 ? y(0) : undefined}
    />
  ));
}

interface LineProps {
  color: ChartColor;
  parts: Point[][];
  /** Position of the axis. If set, the area between the line and the axis is tinted. */
  axis?: number;
}

/** Renders one line. A part with a single value is a dot. */
export function Line({ color, parts, axis }: LineProps): ReactNode {
  const gradient = useId();
  return (
    <g className={classes[color]}>
      {axis !== undefined && (
        <>
          <linearGradient id={gradient} x1="0" y1="0" x2="0" y2="1">
            <stop className={classes.tint} offset="0" stopOpacity="0.22" />
            <stop className={classes.tint} offset="1" stopOpacity="0" />
          </linearGradient>
          {parts.map((points) => (
            <path key={points[0]!.x} d={areaPath(points, axis)} fill={`url(#${gradient})`} />
          ))}
        </>
      )}
      {parts.map((points) =>
        points.length === 1 ? (
          <circle key={points[0]!.x} className={classes.mark} cx={points[0]!.x} cy={points[0]!.y} r={2} />
        ) : (
          <path key={points[0]!.x} className={classes.line} d={linePath(points)} />
        ),
      )}
    </g>
  );
}

/** Renders a dot on each line at one bucket. */
export function Dots({ series, x, y, step, index }: MarksProps & { index: number }): ReactNode {
  return series.map(({ name, color, values }) => {
    const value = values[index] ?? null;
    if (value === null) return null;
    return (
      <circle
        key={name}
        className={`${classes.dot} ${classes[color]}`}
        cx={x(index) + step / 2}
        cy={y(value)}
        r={4}
      />
    );
  });
}
