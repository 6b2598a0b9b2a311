/** Unicode line breaks (UAX #14). In a name, each of them becomes one space, including `\r\n`. */
const lineBreaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/**
 * Spaces, control characters, format characters (such as those that set the text direction), characters without a
 * glyph, and the blank Braille pattern.
 */
const invisibleText = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * Returns the canonical form in which names are stored and searched (ADR 0096): in NFC, so that a letter has the same
 * code points regardless of the keyboard, on one line, and trimmed.
 */
export const canonicalName = (text: string): string => text.normalize('NFC').replace(lineBreaks, ' ').trim();

/** Returns whether a string contains a visible character. */
export const isVisible = (text: string): boolean => !invisibleText.test(text);
