import type { Tone } from '../components/status-badge';

/** The direction that counts as an improvement. */
export type Improvement = 'more' | 'less';

/** The unit of a change: percent of the previous value, or percentage points for a rate from 0 to 1. */
export type ChangeUnit = 'percent' | 'points';

/** The change of a value. The text conveys the same information as the color. */
export interface ValueChange {
  /** "+12%", "−3 points", "Up", "No change". */
  text: string;
  tone: Tone | undefined;
}

/**
 * Describes the change of a value.
 * @param improvement undefined if neither direction counts as one
 */
export function describeChange(
  current: number,
  previous: number,
  improvement?: Improvement,
  unit: ChangeUnit = 'percent',
): ValueChange {
  const text = changeText(current, previous, unit);
  if (text === null) return { text: 'No change', tone: undefined };
  const direction = current > previous ? 'more' : 'less';
  return { text, tone: improvement && (direction === improvement ? 'good' : 'bad') };
}

/** Returns a change as text, or null if it is not visible at this precision. */
function changeText(current: number, previous: number, unit: ChangeUnit): string | null {
  if (current === previous) return null;
  if (unit === 'percent' && previous === 0) return 'Up';
  const change = 100 * (unit === 'points' ? current - previous : current / previous - 1);
  const size = Math.abs(change);
  const shown = size < 10 ? Math.round(size * 10) / 10 : Math.round(size);
  if (shown === 0) return null;
  return `${change > 0 ? '+' : '−'}${shown.toLocaleString('en')}${unit === 'points' ? ' points' : '%'}`;
}
