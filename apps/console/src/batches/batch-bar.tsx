import type { ReactNode } from 'react';
import type { Batch } from '../parts/redelivery-batch';
import classes from './batch.module.css';
import { finishedCount } from './batch-format';

/** What has become of how many, in the order of the bar. */
export function progressSegments({ progress: { succeeded, failed, pending, cancelled, skipped } }: Batch) {
  const leftOut = skipped.reduce((sum, { count }) => sum + count, 0);
  return [
    { name: 'Succeeded', count: succeeded, ink: classes.succeeded! },
    { name: 'Failed again', count: failed, ink: classes.failed! },
    { name: 'In progress', count: pending, ink: classes.pending! },
    { name: 'Cancelled', count: cancelled, ink: classes.other! },
    { name: 'Skipped', count: leftOut, ink: classes.other! },
  ];
}

interface BatchBarProps {
  batch: Batch;
  /** To stand in a row: with its numbers below it. */
  isSmall?: boolean;
}

/** How far a batch has come. */
export function BatchBar({ batch, isSmall = false }: BatchBarProps): ReactNode {
  const { eligible, state } = batch;
  const done = finishedCount(batch);
  const text = `${done.toLocaleString('en')} of ${eligible.toLocaleString('en')}`;
  if (isSmall && state === 'planned') {
    return <span className={classes.note}>{eligible.toLocaleString('en')} eligible</span>;
  }
  return (
    <div className={isSmall ? classes.progress : undefined}>
      <div
        className={`${classes.bar} ${isSmall ? classes.small : ''}`}
        role="progressbar"
        aria-label="Progress"
        aria-valuemin={0}
        aria-valuemax={eligible}
        aria-valuenow={done}
        aria-valuetext={`${text} done`}
      >
        {progressSegments(batch).map(
          ({ name, count, ink }) =>
            count > 0 && (
              <div
                key={name}
                className={`${classes.part} ${ink}`}
                style={{ width: `${(count / Math.max(1, eligible)) * 100}%` }}
              />
            ),
        )}
      </div>
      {isSmall && <span className={classes.note}>{text}</span>}
    </div>
  );
}
