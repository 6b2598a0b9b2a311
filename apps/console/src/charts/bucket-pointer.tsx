import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { formatValue, type Series } from './chart-frame';
import classes from './chart.module.css';

interface BucketPointerProps {
  title: string;
  /** The time of each bucket. */
  labels: string[];
  series: Series[];
  format: (value: number) => string;
  bucketPath?: (index: number) => string;
  /** The selected bucket. */
  index: number | null;
  onChange: (index: number | null) => void;
  /** Returns a bucket's center. */
  center: (index: number) => number;
  width: number;
}

/**
 * Shows the values in the bucket under the mouse pointer. On the keyboard, the arrow keys select a bucket, and Enter
 * opens its records.
 */
export function BucketPointer(props: BucketPointerProps): ReactNode {
  const { title, labels, series, format, bucketPath, index, onChange, center, width } = props;
  const [isFocused, setFocused] = useState(false);
  const navigate = useNavigate();
  const last = labels.length - 1;
  const current = index ?? last;
  const values = series.map(({ name, values: all }) => `${name}: ${formatValue(all[current], format)}`);
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && bucketPath && index !== null) return void navigate(bucketPath(index));
    const target = nextIndex(event.key, current, last);
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(target);
  };
  return (
    <>
      <div
        className={classes.pointer}
        role="slider"
        aria-label={`${title}: values over time`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={current}
        aria-valuetext={[labels[current], ...values].join(', ')}
        tabIndex={0}
        onKeyDown={press}
        onFocus={(event) => {
          setFocused(true);
          if (event.target.matches(':focus-visible')) onChange(current);
        }}
        onBlur={() => {
          setFocused(false);
          onChange(null);
        }}
      />
      {index !== null && (
        <div
          className={classes.tooltip}
          style={
            center(index) > width / 2 ? { right: width - center(index) + 12 } : { left: center(index) + 12 }
          }
          aria-hidden="true"
        >
          <div className={classes.time}>{labels[index]}</div>
          {series.map(({ name, color, values: all }) => (
            <div key={name} className={classes.entry}>
              <span className={`${classes.key} ${classes[color]}`}>{name}</span>
              <span className={classes.amount}>{formatValue(all[index], format)}</span>
            </div>
          ))}
          {bucketPath && <div className={classes.hint}>{isFocused ? 'Enter' : 'Click'} to see attempts</div>}
        </div>
      )}
    </>
  );
}

/** Returns the bucket that a key selects, null to hide the values, or undefined if the key has no effect. */
function nextIndex(key: string, current: number, last: number): number | null | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, current - 1);
    case 'ArrowRight':
      return Math.min(last, current + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}
