/**
 * Formats a rate as "97.2%". It is rounded down, so that it is never 100% if any attempt failed.
 * @param rate 0 to 1, or null if there is none
 */
export function formatPercent(rate: number | null): string {
  if (rate === null) return '–';
  const shown = rate < 1 ? Math.floor(rate * 1000) / 10 : 100;
  return `${shown}%`;
}
