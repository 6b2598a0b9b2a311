import { canonicalEmail, parseUrl } from '@gatehouse/domain';
import { parseDuration } from './duration.js';
import { parseSender, type Sender } from './sender.js';
import { splitHosts } from './split-hosts.js';

/** An environment setting, with its parser and its documentation. */
export interface Setting<T> {
  /** Description for `.env.example`. */
  doc: string;
  /** Default for `.env.example`. */
  displayedDefault: string;
  /** True if the value must never be printed, not even in an error. */
  secret: boolean;
  /** Parses the value. Throws an Error with a message that is worded to follow the setting's name. */
  parse: (text: string) => T;
  /** The value if the setting is not set. */
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

/** Defines a number from 0 to 1. */
export const ratio = (options: Options<number>): Setting<number> =>
  defineSetting(options, (value) => {
    const number = Number(value);
    if (number >= 0 && number <= 1) return number;
    throw new Error('must be a number from 0 to 1');
  });

export const choice = <T extends string>(options: Options<T>, values: readonly T[]): Setting<T> =>
  defineSetting(options, (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found) return found;
    throw new Error(`must be one of ${values.join(', ')}`);
  });

export const onOff = (options: Omit<Options<boolean>, 'displayedDefault'>): Setting<boolean> =>
  defineSetting({ ...options, displayedDefault: options.fallback ? 'on' : 'off' }, (value) => {
    if (value === 'on') return true;
    if (value === 'off') return false;
    throw new Error('must be on or off');
  });

export const url = (options: Options<string | null>, protocols: string[]): Setting<string | null> =>
  defineSetting(options, (value) => {
    if (protocols.includes(parseUrl(value)?.protocol ?? '')) return value;
    throw new Error(
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );
  });

/**
 * Defines a URL that can have several hosts, separated by commas.
 * @param check returns the problem with the URL of a single host, or null
 */
const multiHostUrl = (
  options: Options<string | null>,
  protocols: string[],
  check: (url: URL) => string | null = () => null,
): Setting<string | null> => {
  const { parse } = url(options, protocols);
  return defineSetting(options, (value) => {
    for (const each of splitHosts(value)) {
      const problem = check(new URL(parse(each)!));
      if (problem) throw new Error(problem);
    }
    return value;
  });
};

/**
 * Defines a PostgreSQL URL, which can have several hosts. Values of `target_session_attrs` that select only standbys
 * are rejected, because Gatehouse writes.
 */
export const databaseUrl = (options: Options<string | null>): Setting<string | null> =>
  multiHostUrl(options, ['postgres:', 'postgresql:'], ({ searchParams }) =>
    ['any', 'read-write', 'primary'].includes(searchParams.get('target_session_attrs') ?? 'read-write')
      ? null
      : 'must have any, read-write or primary as target_session_attrs',
  );

/** Defines a Redis URL, which can have several hosts. */
export const redisUrl = (options: Options<string | null>): Setting<string | null> =>
  multiHostUrl(options, ['redis:', 'rediss:']);

/** Defines an http or https URL to which paths are appended. */
export const baseUrl = (options: Options<string | null>): Setting<string | null> =>
  defineSetting(options, (value) => {
    const parsed = parseUrl(value);
    const isBase = parsed && ['http:', 'https:'].includes(parsed.protocol) && !/[@?#]/.test(value);
    if (isBase) return value;
    throw new Error('must be an http or https URL without a user name, query or fragment');
  });

/** Defines an http or https URL to which requests are sent. Credentials are allowed only in its path or query. */
export const targetUrl = (options: Options<string | null>): Setting<string | null> =>
  defineSetting(options, (value) => {
    const parsed = parseUrl(value);
    const isWeb = parsed && ['http:', 'https:'].includes(parsed.protocol);
    if (isWeb && !parsed.username && !parsed.password) return value;
    throw new Error('must be an http or https URL without a user name');
  });

/** Defines an http or https origin, such as `https://api.example.com`. */
export const origin = (options: Options<string>): Setting<string> =>
  defineSetting(options, (value) => {
    const parsed = parseUrl(value);
    const found = parsed && ['http:', 'https:'].includes(parsed.protocol) ? parsed.origin : null;
    if (found && (value === found || value === `${found}/`)) return found;
    throw new Error('must be an http or https URL that consists of scheme, host and optional port');
  });

/**
 * Defines a string that matches a pattern.
 * @param message the error if it does not match
 */
export const pattern = (
  options: Options<string | null>,
  form: RegExp,
  message: string,
): Setting<string | null> =>
  defineSetting(options, (value) => {
    if (form.test(value)) return value;
    throw new Error(message);
  });

/** Defines a sender: `Name <address>` or `address`. */
export const sender = (options: Options<Sender | null>): Setting<Sender | null> =>
  defineSetting(options, (value) => {
    const parsed = parseSender(value);
    if (parsed) return parsed;
    throw new Error('must be one email address, such as Shop <no-reply@example.com>');
  });

/** Defines an email address, which is converted to its canonical form. */
export const email = (options: Options<string | null>): Setting<string | null> =>
  defineSetting(options, (value) => {
    const address = canonicalEmail(value);
    if (address) return address;
    throw new Error('must be an email address');
  });

/**
 * Defines a comma-separated list.
 * @param check returns the problem with an entry, or null
 */
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
      const problem = check(entry);
      if (problem) throw new Error(problem);
    }
    return entries;
  });

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

/** Defines exactly `count` durations, separated by commas. Values are in ms. */
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
