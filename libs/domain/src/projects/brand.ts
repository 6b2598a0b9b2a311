import { parseUrl } from '../urls/parse-url.js';
import { textColorOn } from './contrast.js';
import type { Branding } from './project-settings.js';

/** A project's effective branding on hosted pages and in emails. */
export interface Brand {
  /** A single line. */
  name: string;
  /** An https URL with a plain host name; null without a logo. */
  logoUrl: string | null;
  /** Button color, `#rrggbb`. */
  color: string;
  /** Text color on `color`. */
  textColor: '#000000' | '#ffffff';
}

const DEFAULT_COLOR = '#1d4ed8';

/**
 * Returns a project's branding. A value that is not safe in a style, a header or a content security policy is replaced
 * with its default.
 */
export function resolveBrand(projectName: string, branding?: Partial<Branding>): Brand {
  const { displayName, logoUrl, color } = branding ?? {};
  const accent = color && /^#[0-9a-f]{6}$/i.test(color) ? color : DEFAULT_COLOR;
  return {
    name: toSingleLine(displayName ?? '') || toSingleLine(projectName),
    logoUrl: logoUrl && isPlainHttpsUrl(logoUrl) ? logoUrl : null,
    color: accent,
    textColor: textColorOn(accent),
  };
}

/**
 * Replaces line breaks and other control characters with spaces, so that the string cannot start a new header or
 * paragraph.
 */
export const toSingleLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/**
 * Returns whether a URL uses https and a plain host name. A URL's host can contain `;`, `,` and `*`, which have a
 * special meaning in a content security policy.
 */
const isPlainHttpsUrl = (text: string): boolean =>
  /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(parseUrl(text)?.origin ?? '');
