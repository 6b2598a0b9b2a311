/** Splits a list of words that are separated by spaces or line breaks. */
export const splitWords = (list: string): string[] => list.trim().split(/\s+/);
