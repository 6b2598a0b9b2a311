/** Returns the end of a chart axis: the smallest of 1, 2, 5, 10, 20, 50 … that is not below `value`. */
export function axisMaximum(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10);
}

/** Formats a number as "950", "1.2K" or "3.4M". */
export const formatCompact = (value: number): string =>
  new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const formatInteger = (value: number): string => value.toLocaleString('en');
