import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { UntrustedText } from '../components/untrusted-text';
import { ChartFrame, type ChartColor } from './chart-frame';
import classes from './chart.module.css';
import { formatInteger } from './scale';

export interface Bar {
  name: string;
  value: number;
  color?: ChartColor;
  /** Replaces the name, for example with a link. */
  label?: ReactNode;
}

interface BarListProps {
  title: string;
  /** Heading above the names in the table: "Status". */
  axisLabel: string;
  bars: Bar[];
  unit?: string;
  emptyText?: string;
}

/** Returns a bar whose name links to the records that it counts. */
export const linkedBar = (name: string, value: number, path: string, color?: ChartColor): Bar => ({
  name,
  value,
  color,
  label: (
    <Anchor component={Link} to={path} className={classes.name}>
      <UntrustedText text={name} oneLine />
    </Anchor>
  ),
});

/** Renders a bar for each value. A bar's length is proportional to its value. */
export function BarList({
  title,
  axisLabel,
  bars,
  unit = 'Attempts',
  emptyText = 'No data in this period',
}: BarListProps): ReactNode {
  const maximum = Math.max(1, ...bars.map(({ value }) => value));
  const series = [{ name: unit, color: 'accent' as const, values: bars.map(({ value }) => value) }];
  return (
    <ChartFrame
      title={title}
      series={series}
      axisLabel={axisLabel}
      labels={bars.map(({ name }) => name)}
      format={formatInteger}
    >
      {bars.length === 0 ? (
        <div className={classes.empty}>{emptyText}</div>
      ) : (
        <div className={classes.rows}>
          {bars.map(({ name, value, color = 'accent', label }) => (
            <div key={name} className={classes.row}>
              <span className={classes.name}>{label ?? <UntrustedText text={name} oneLine />}</span>
              <span className={classes.track}>
                {value > 0 && (
                  <div
                    className={`${classes.fill} ${classes[color]}`}
                    style={{ width: `${(value / maximum) * 100}%` }}
                  />
                )}
              </span>
              <span className={classes.value}>{formatInteger(value)}</span>
            </div>
          ))}
        </div>
      )}
    </ChartFrame>
  );
}
