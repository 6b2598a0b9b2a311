import { textColorOn } from './contrast.js';
import type { Branding } from './project-settings.js';

/** How a project shows itself on hosted pages and in mails, with nothing left open. */
export interface Brand {
  /** One line. */
  name: string;
  /** https, of a plain host name; null: none. */
  logoUrl: string | null;
  /** Of buttons, `#rrggbb`. */
  color: string;
  /** Of the text on `color`. */
  textColor: '#000000' | '#ffffff';
}

const DEFAULT_COLOR = '#1d4ed8';

/** The brand of a project. What could not stand in a style, a header or a content policy falls back to the default. */
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

/** Text without line breaks and other controls, so that it can begin no second header or paragraph. */
export const toSingleLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** A URL's host may hold `;`, `,` and `*`, which mean something else in a content policy. */
const isPlainHttpsUrl = (text: string): boolean =>
  URL.canParse(text) && /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(new URL(text).origin);
