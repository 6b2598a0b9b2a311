/** Maximum length of a stored language tag (RFC 5646, section 4.4.1). */
export const LOCALE_LENGTH = 35;

/** Returns a BCP 47 language tag in canonical form, such as `de-AT` for `DE-at`; null if it is invalid or too long. */
export function canonicalLocale(text: string): string | null {
  if (text.length > LOCALE_LENGTH) return null;
  try {
    const [locale = ''] = Intl.getCanonicalLocales(text);
    return locale.length <= LOCALE_LENGTH ? locale : null;
  } catch {
    return null;
  }
}
