import bowser from 'bowser';

/** Returns a user agent's browser and operating system, or only the known one. */
export const deviceName = (userAgent: string | null): string | null => joinNames(parseNames(userAgent));

const wellKnownBrowsers = new Set(Object.values(bowser.BROWSER_MAP));

/**
 * Returns the same without a browser that is not well known, for strings that another person reads: a client chooses
 * the name for an unknown browser, which could be a message.
 */
export function wellKnownDeviceName(userAgent: string | null): string | null {
  const [browser = '', os] = parseNames(userAgent);
  return joinNames([wellKnownBrowsers.has(browser) ? browser : undefined, os]);
}

type Names = [browser?: string | undefined, os?: string | undefined];

function parseNames(userAgent: string | null): Names {
  if (!userAgent) return [];
  const { browser, os } = bowser.parse(userAgent);
  return [browser.name, os.name];
}

function joinNames(names: Names): string | null {
  const known = names.filter((name): name is string => Boolean(name));
  return known.length > 0 ? known.join(' on ').slice(0, 100) : null;
}
