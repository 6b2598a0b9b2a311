/** The maximum number of steps on an axis. */
const MAX_STEPS = 4;

/** Returns the gridline values, from 0 to the first one that is not below `value`, in steps of 1, 2, 5, 10, 20 … */
export function axisTicks(value: number): number[] {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value) / MAX_STEPS)));
  const step = power * ([1, 2, 5].find((factor) => factor * power * MAX_STEPS >= value) ?? 10);
  return Array.from({ length: Math.max(1, Math.ceil(value / step)) + 1 }, (_, index) => index * step);
}

/** Formats a number as "950", "1.2K" or "3.4M". */
export const formatCompact = (value: number): string =>
  new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const formatInteger = (value: number): string => value.toLocaleString('en');

/** Returns the index of the bucket at a distance from the plot's left edge, or null outside the plot. */
export function bucketAt(distance: number, step: number, count: number): number | null {
  const index = Math.floor(distance / step);
  return index >= 0 && index < count ? index : null;
}

export interface Point {
  x: number;
  y: number;
}

/** Returns the points of a line, split into parts where values are missing. */
export function lineParts(
  values: (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): Point[][] {
  const parts: Point[][] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    if (index === 0 || values[index - 1] === null) parts.push([]);
    parts.at(-1)!.push({ x: x(index), y: y(value) });
  });
  return parts;
}

/** Returns the SVG path for a part of a line. */
export const linePath = (points: Point[]): string =>
  `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`;

/** Returns the SVG path for the area between a part of a line and the axis. */
export const areaPath = (points: Point[], axis: number): string =>
  `${linePath(points)}V${axis.toFixed(1)}H${points[0]!.x.toFixed(1)}Z`;

/** Returns a bar's SVG path. Only its upper corners are rounded. */
export function barPath({ x, y }: Point, width: number, height: number, radius: number): string {
  const r = Math.min(radius, width / 2, height);
  const side = height - r;
  return `M${x} ${y + height}v${-side}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}v${side}z`;
}

/** Returns at most `count` values: the means of groups of consecutive values. Missing values are ignored. */
export function condense(values: (number | null)[], count: number): (number | null)[] {
  const size = Math.max(1, Math.ceil(values.length / count));
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => {
    const known = values.slice(index * size, (index + 1) * size).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}
