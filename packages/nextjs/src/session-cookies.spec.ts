import {
  changedCookieHeader,
  readCookies,
  serializeCookies,
  signedOut,
  type CookieChanges,
} from './session-cookies.js';

const options = { secureCookies: true };
const headers = (cookie: string): Headers => new Headers({ cookie });

// Browsers do not allow subdomains to set cookies whose name begins with __Host-, but do allow these characters before
// it.
it.each(['\u00a0', '\u0085', '\u00ad', '\u00ff', 'x'])(
  'ignores a cookie with %j before the prefix',
  (character) => {
    const other = `${character}__Host-gatehouse-refresh=theirs`;
    expect(readCookies(options, headers(other)).refreshToken).toBeNull();
    const both = headers(`${other}; a=1;__Host-gatehouse-refresh=own`);
    expect(readCookies(options, both).refreshToken).toBe('own');
    expect(changedCookieHeader(options, both, signedOut)).toBe(`${other}; a=1`);
  },
);

/** A browser with cookies. Browsers ignore cookies of more than 4,096 bytes. */
class Browser {
  readonly cookies = new Map<string, string>();
  get headers(): Headers {
    return headers([...this.cookies].map((pair) => pair.join('=')).join('; '));
  }

  store(changes: CookieChanges): void {
    for (const text of serializeCookies(options, this.headers, changes)) {
      const [, name, value, maxAge] = /^([^=]+)=([^;]*); Path=\/; Max-Age=(\d+); HttpOnly/.exec(text)!;
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
      if (maxAge === '0') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
  }
}

/** Returns a token in Gatehouse's format, with claims of this size in bytes. */
const tokenOf = (bytes: number): string => {
  const claims = { sid: 'session', exp: 1_800_000_000, permissions: 'x'.repeat(bytes) };
  return ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 's'.repeat(86)].join('.');
};

describe('serializeCookies', () => {
  it('splits long values into cookies that browsers store, even when a value grows or shrinks', () => {
    const browser = new Browser();
    const lengths = [100, 6_144, 20, 2_700, 3_000, 8_192, 6_144, 0];
    for (const bytes of lengths) {
      const accessToken = tokenOf(bytes);
      const before = browser.headers;
      const changes = { accessToken, refreshToken: `refresh-${bytes}` };
      browser.store(changes);
      expect(readCookies(options, browser.headers)).toMatchObject(changes);
      const sameRequest = changedCookieHeader(options, before, changes);
      expect(readCookies(options, headers(sameRequest))).toMatchObject(changes);
      const count = accessToken.length <= 3_800 ? 1 : Math.ceil(accessToken.length / 3_800);
      expect([bytes, browser.cookies.size]).toEqual([bytes, count + 1]);
    }
    browser.store({ accessToken: tokenOf(6_144) });
    expect([...browser.cookies.keys()]).toContain('__Host-gatehouse-access.2');
    browser.store(signedOut);
    expect([...browser.cookies]).toEqual([]);
  });

  it('leaves cookies with other names unchanged', () => {
    const browser = new Browser();
    const others = ['__Host-gatehouse-access.x', '__Host-gatehouse-access-2', 'gatehouse-access.0'];
    for (const name of others) browser.cookies.set(name, '1');
    browser.store({ accessToken: tokenOf(6_144) });
    browser.store(signedOut);
    expect([...browser.cookies.keys()]).toEqual(others);
  });
});
