import bowser from 'bowser';

/** Returns a user agent's browser and operating system, or whichever of the two is known. */
export const deviceName = (userAgent: string | null): string | null => joinNames(parseNames(userAgent));

const wellKnownBrowsers = new Set(Object.values(bowser.BROWSER_MAP));

/**
 * Returns the device name without an unknown browser, for strings that are shown to another user: a client can choose
 * an unknown browser's name freely and use it to send a message.
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
