import bowser from 'bowser';

/** Returns the browser and the operating system of a user agent, or the one of them that is known. */
export const deviceName = (userAgent: string | null): string | null => joinNames(parseNames(userAgent));

const wellKnownBrowsers = new Set(Object.values(bowser.BROWSER_MAP));

/**
 * Returns the same without a browser that is not well known, for text that is shown to another person: an
 * unknown browser has the name that its client chose, which could be a message.
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
