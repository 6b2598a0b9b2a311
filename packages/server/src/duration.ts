/** A duration: seconds, or a number with a unit, such as `'10m'`. */
export type Duration = number | `${number}${'s' | 'm' | 'h' | 'd'}`;

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Converts a duration to seconds.
 * @throws TypeError if it is not positive or has an unknown unit
 */
export function toSeconds(duration: Duration): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(String(duration)) ?? [];
  const seconds = typeof duration === 'number' ? duration : Number(amount || NaN) * SECONDS[unit]!;
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new TypeError(`invalid duration ${JSON.stringify(duration)}: use seconds, or a string such as '10m'`);
}
