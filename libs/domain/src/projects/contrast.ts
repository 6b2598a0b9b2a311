const linearChannels = (color: string): number[] =>
  [1, 3, 5].map((start) => {
    const value = parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });

/** Returns the relative luminance of `#rrggbb` from 0 to 1 (WCAG 2.2, "relative luminance"). */
export function relativeLuminance(color: string): number {
  const [red, green, blue] = linearChannels(color);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Returns the contrast between two colors `#rrggbb`, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastRatio(one: string, other: string): number {
  const [lighter, darker] = [relativeLuminance(one), relativeLuminance(other)].sort((a, b) => b - a);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/**
 * Returns black or white, whichever has the higher contrast on `#rrggbb`. The contrast is at least 4.58:1, because the
 * product of the two ratios is 21.
 */
export const textColorOn = (color: string): '#000000' | '#ffffff' =>
  contrastRatio(color, '#ffffff') >= contrastRatio(color, '#000000') ? '#ffffff' : '#000000';
