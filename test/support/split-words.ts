/** The entries of a list that is written as one text, with blanks or line breaks between them. */
export const splitWords = (list: string): string[] => list.trim().split(/\s+/);
