import { canonicalLocale, LOCALE_LENGTH } from './locale.js';

/** The language of messages that are not available in a preferred language. */
export const FALLBACK_LANGUAGE = 'en';

/** Maximum number of languages that are read from `Accept-Language`. */
const MAX_ACCEPTED = 20;

/** A reader's known language preferences. */
export interface LanguagePreference {
  /** The customer's locale, or null. */
  locale: string | null;
  /** The request's languages, in order of preference. Ignored if there is a locale. */
  accepted: readonly string[];
  /** The project's default locale, or null. */
  defaultLocale: string | null;
}

/** Returns the languages in an `Accept-Language` header in order of preference (RFC 9110, section 12.5.4). */
export function parseAcceptLanguage(header: string | undefined): string[] {
  const ranges = (header ?? '').split(',', MAX_ACCEPTED).flatMap((range) => {
    const [, tag = '', weight = '1'] =
      /^ *([a-z\d-]+) *(?:; *q *= *([01](?:\.\d{0,3})?) *)?$/i.exec(range) ?? [];
    const locale = tag.length <= LOCALE_LENGTH ? canonicalLocale(tag) : null;
    return locale && Number(weight) > 0 ? [{ locale, weight: Number(weight) }] : [];
  });
  return ranges.sort((one, other) => other.weight - one.weight).map(({ locale }) => locale);
}

/**
 * Returns the languages in which to look for a message, best first: each preferred language is followed by its less
 * specific forms, then the project's default and English.
 */
export function preferredLanguages({ locale, accepted, defaultLocale }: LanguagePreference): string[] {
  const preferred = locale === null ? accepted : [locale];
  const languages = [...preferred, ...(defaultLocale === null ? [] : [defaultLocale]), FALLBACK_LANGUAGE];
  return [...new Set(languages.flatMap(withLessSpecific))];
}

/** Returns a tag and its less specific forms: `zh-Hant-TW`, `zh-Hant`, `zh` (RFC 4647, lookup). */
function withLessSpecific(tag: string): string[] {
  const subtags = tag.split('-');
  // A single-character subtag only introduces the subtags that follow it.
  return subtags
    .map((_, index) => subtags.slice(0, subtags.length - index))
    .filter((prefix) => prefix.at(-1)!.length > 1)
    .map((prefix) => prefix.join('-'));
}
