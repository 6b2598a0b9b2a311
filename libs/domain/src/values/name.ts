/** Unicode line breaks (UAX #14): in a name, each becomes one space, even a line break with two characters. */
const lineBreaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/**
 * Space, control and format characters, which include characters that only set the text direction, characters without a
 * glyph, and the empty Braille pattern.
 */
const invisibleText = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * Returns the form in which names are stored and searched (ADR 0096): in NFC, so that a letter has the same characters from
 * every keyboard, on one line, and trimmed.
 */
export const canonicalName = (text: string): string => text.normalize('NFC').replace(lineBreaks, ' ').trim();

/** Returns whether a string has a character that people can see. */
export const isVisible = (text: string): boolean => !invisibleText.test(text);
