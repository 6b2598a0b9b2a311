/** Splits a list that is written as one text, separated by spaces or line breaks. */
export const splitWords = (list: string): string[] => list.trim().split(/\s+/);
