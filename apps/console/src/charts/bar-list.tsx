import type { ReactNode } from 'react';
import { ForeignText } from '../parts/foreign-text';
import { ChartFrame, type Ink } from './chart-frame';
import classes from './chart.module.css';
import { whole } from './scale';

export interface Bar {
  name: string;
  value: number;
  ink?: Ink;
  /** In place of the name: a link, say. */
  label?: ReactNode;
}

interface BarListProps {
  title: string;
  /** What the names are: "Status". */
  axis: string;
  bars: Bar[];
  unit?: string;
  empty?: string;
}

/** Amounts by name, the longest bar for the largest. */
export function BarList({
  title,
  axis,
  bars,
  unit = 'Attempts',
  empty = 'No data in this period',
}: BarListProps): ReactNode {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const series = [{ name: unit, ink: 'accent' as const, values: bars.map(({ value }) => value) }];
  return (
    <ChartFrame
      title={title}
      series={series}
      axis={axis}
      labels={bars.map(({ name }) => name)}
      format={whole}
    >
      {bars.length === 0 ? (
        <div className={classes.empty}>{empty}</div>
      ) : (
        <div className={classes.rows}>
          {bars.map(({ name, value, ink = 'accent', label }) => (
            <div key={name} className={classes.row}>
              <span className={classes.name}>{label ?? <ForeignText text={name} oneLine />}</span>
              <span className={classes.track}>
                {value > 0 && (
                  <div
                    className={`${classes.fill} ${classes[ink]}`}
                    style={{ width: `${(value / most) * 100}%` }}
                  />
                )}
              </span>
              <span className={classes.value}>{whole(value)}</span>
            </div>
          ))}
        </div>
      )}
    </ChartFrame>
  );
}
