import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { describeChange, type ChangeUnit, type Improvement } from './describe-change';
import classes from './change.module.css';

interface ChangeProps {
  /** null if there is no value in this period. */
  current: number | null;
  /** null if there was no value in the previous period. */
  previous: number | null;
  format: (value: number) => string;
  /** The direction that is an improvement; none by default. */
  improvement?: Improvement;
  unit?: ChangeUnit;
}

/** Renders the change of a value since the previous period: "+12% from 1,100". */
function Change({ current, previous, format, improvement, unit }: ChangeProps): ReactNode {
  if (previous === null) return <div className={classes.change}>No previous value</div>;
  if (current === null)
    return (
      <div className={classes.change}>
        Previously {format(previous)}
        <VisuallyHidden> in the previous period</VisuallyHidden>
      </div>
    );
  const { text, tone } = describeChange(current, previous, improvement, unit);
  return (
    <div className={classes.change}>
      <span className={tone && classes[tone]}>{text}</span> from {format(previous)}
      <VisuallyHidden> in the previous period</VisuallyHidden>
    </div>
  );
}

/**
 * Returns a function that renders the change of a metric. It renders nothing if the comparison is off or the previous
 * period has no metrics.
 * @param previous the previous period's metrics; null if there are none
 */
export const changeRenderer =
  <Totals,>(isCompared: boolean, totals: Totals, previous: Totals | null | undefined) =>
  (
    valueOf: (totals: Totals) => number | null,
    format: (value: number) => string,
    improvement?: Improvement,
    unit?: ChangeUnit,
  ): ReactNode =>
    isCompared &&
    previous && (
      <Change current={valueOf(totals)} previous={valueOf(previous)} {...{ format, improvement, unit }} />
    );
