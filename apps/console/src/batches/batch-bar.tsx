import type { ReactNode } from 'react';
import type { Batch } from './redelivery-batch';
import classes from './batch.module.css';
import { finishedCount } from './batch-format';

/** Returns the number of deliveries for each outcome, in display order. */
export function progressSegments({ progress: { succeeded, failed, pending, cancelled, skipped } }: Batch) {
  const skippedCount = skipped.reduce((sum, { count }) => sum + count, 0);
  return [
    { name: 'Succeeded', count: succeeded, className: classes.succeeded! },
    { name: 'Failed again', count: failed, className: classes.failed! },
    { name: 'In progress', count: pending, className: classes.pending! },
    { name: 'Canceled', count: cancelled, className: classes.other! },
    { name: 'Skipped', count: skippedCount, className: classes.other! },
  ];
}

interface BatchBarProps {
  batch: Batch;
  /** Renders a small bar with its numbers below it, for table rows. */
  isSmall?: boolean;
}

export function BatchBar({ batch, isSmall = false }: BatchBarProps): ReactNode {
  const { eligible, state } = batch;
  const finished = finishedCount(batch);
  const text = `${finished.toLocaleString('en')} of ${eligible.toLocaleString('en')}`;
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
        aria-valuenow={finished}
        aria-valuetext={`${text} done`}
      >
        {progressSegments(batch).map(
          ({ name, count, className }) =>
            count > 0 && (
              <div
                key={name}
                className={`${classes.part} ${className}`}
                style={{ width: `${(count / Math.max(1, eligible)) * 100}%` }}
              />
            ),
        )}
      </div>
      {isSmall && <span className={classes.note}>{text}</span>}
    </div>
  );
}
