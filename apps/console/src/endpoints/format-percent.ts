/** "97.2%"; never 100% while anything failed. @param rate 0 to 1, null for none */
export function formatPercent(rate: number | null): string {
  if (rate === null) return '–';
  const shown = rate < 1 ? Math.floor(rate * 1000) / 10 : 100;
  return `${shown}%`;
}
