import { canonicalEmail } from '@gatehouse/domain';
import { parseSender, type Sender } from '../mail/sender.js';

/** One setting of the environment: how it is read and what the documentation says. */
export interface Setting<T> {
  /** For `.env.example`: what it means, in one sentence. */
  doc: string;
  /** For `.env.example`: the value that stands when it is unset. */
  displayedDefault: string;
  /** Never printed, not even in a fault. */
  secret: boolean;
  /** Turns the text into a value. Throws an Error whose message follows the setting's name. */
  parse: (text: string) => T;
  /** The value that stands when it is unset. */
  fallback: T;
}

interface Options<T> {
  doc: string;
  fallback: T;
  displayedDefault?: string;
  secret?: boolean;
}

const defineSetting = <T>(options: Options<T>, parse: (text: string) => T): Setting<T> => ({
  doc: options.doc,
  displayedDefault: options.displayedDefault ?? String(options.fallback ?? ''),
  secret: options.secret ?? false,
  fallback: options.fallback,
  parse,
});

export const text = <T extends string | null>(options: Options<T>): Setting<string | T> =>
  defineSetting<string | T>(options, (value) => value);

export const integer = (options: Options<number>, min: number, max: number): Setting<number> =>
  defineSetting(options, (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  });

export const choice = <T extends string>(options: Options<T>, values: readonly T[]): Setting<T> =>
  defineSetting(options, (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found) return found;
    throw new Error(`must be one of ${values.join(', ')}`);
  });

export const onOff = (options: Omit<Options<boolean>, 'shown'>): Setting<boolean> =>
  defineSetting({ ...options, displayedDefault: options.fallback ? 'on' : 'off' }, (value) => {
    if (value === 'on') return true;
    if (value === 'off') return false;
    throw new Error('must be on or off');
  });

export const url = (options: Options<string | null>, protocols: string[]): Setting<string | null> =>
  defineSetting(options, (value) => {
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    throw new Error(
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );
  });

/** An http or https URL to which paths are appended. */
export const baseUrl = (options: Options<string | null>): Setting<string | null> =>
  defineSetting(options, (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    const isBase = parsed && ['http:', 'https:'].includes(parsed.protocol) && !/[@?#]/.test(value);
    if (isBase) return value;
    throw new Error('must be an http or https URL without a user name, query or fragment');
  });

/** An http or https URL to send to. Who needs a password there puts it into the path or the query. */
export const targetUrl = (options: Options<string | null>): Setting<string | null> =>
  defineSetting(options, (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    const isWeb = parsed && ['http:', 'https:'].includes(parsed.protocol);
    if (isWeb && !parsed.username && !parsed.password) return value;
    throw new Error('must be an http or https URL without a user name');
  });

/** The http or https origin of a server, such as `https://api.example.com`. */
export const origin = (options: Options<string>): Setting<string> =>
  defineSetting(options, (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    const found = parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.origin : null;
    if (found && (value === found || value === `${found}/`)) return found;
    throw new Error('must be an http or https URL that consists of scheme, host and optional port');
  });

/** A text of a certain form, which `message` describes. */
export const pattern = (
  options: Options<string | null>,
  form: RegExp,
  message: string,
): Setting<string | null> =>
  defineSetting(options, (value) => {
    if (form.test(value)) return value;
    throw new Error(message);
  });

/** `Name <address>` or `address`. */
export const sender = (options: Options<Sender | null>): Setting<Sender | null> =>
  defineSetting(options, (value) => {
    const parsed = parseSender(value);
    if (parsed) return parsed;
    throw new Error('must be one email address, such as Shop <no-reply@example.com>');
  });

/** An e-mail address in its canonical form. */
export const email = (options: Options<string | null>): Setting<string | null> =>
  defineSetting(options, (value) => {
    const address = canonicalEmail(value);
    if (address) return address;
    throw new Error('must be an email address');
  });

/** A comma-separated list; `check` says what is wrong with an entry, or null. */
export const list = (
  options: Options<string[]>,
  check: (entry: string) => string | null,
): Setting<string[]> =>
  defineSetting(options, (value) => {
    const entries = value
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
    for (const entry of entries) {
      const fault = check(entry);
      if (fault) throw new Error(fault);
    }
    return entries;
  });

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `250ms`, `15s`, `5m`, `12h` or `30d` in ms. */
export function parseDuration(value: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value.trim());
  if (!match) throw new Error('must be a duration such as 500ms, 15s, 5m, 12h or 30d');
  return Number(match[1]) * units[match[2]!]!;
}

export const duration = (options: Options<string>, minMs: number, maxMs: number): Setting<number> => {
  const parse = (value: string): number => {
    const ms = parseDuration(value);
    if (ms < minMs || ms > maxMs) throw new Error('is outside the allowed range');
    return ms;
  };
  return defineSetting(
    { ...options, displayedDefault: options.fallback, fallback: parse(options.fallback) },
    parse,
  );
};

/** Exactly `count` durations in ms, separated by commas. */
export const durations = (options: Options<string>, count: number): Setting<number[]> => {
  const parse = (value: string): number[] => {
    const entries = value.split(',').map(parseDuration);
    if (entries.length !== count) throw new Error(`must be exactly ${count} durations separated by commas`);
    return entries;
  };
  return defineSetting(
    { ...options, displayedDefault: options.fallback, fallback: parse(options.fallback) },
    parse,
  );
};
