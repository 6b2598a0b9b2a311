/** Characters that take up two columns in a terminal: CJK characters, fullwidth forms and emoji. */
const WIDE =
  /[\p{Emoji_Presentation}\ufe0f\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

const graphemeWidth = (grapheme: string): number => (WIDE.test(grapheme) ? 2 : 1);

/** Returns the number of terminal columns that a string takes up. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Shortens a string to at most `width` terminal columns. A shortened string ends with "…". */
export function fitText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let fitted = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += graphemeWidth(segment);
    if (used > width - 1) break;
    fitted += segment;
  }
  return `${fitted}…`;
}
