import { changedCookieHeader, readCookies, signedOut } from './session-cookies.js';

const options = { secureCookies: true };
const headers = (cookie: string): Headers => new Headers({ cookie });

// Browsers refuse a cookie whose name begins with __Host- from a subdomain, but not one with these characters before it.
it.each(['\u00a0', '\u0085', '\u00ad', '\u00ff', 'x'])(
  'a cookie with %j before its prefix is another one',
  (character) => {
    const other = `${character}__Host-gatehouse-refresh=theirs`;
    expect(readCookies(options, headers(other)).refreshToken).toBeNull();
    const both = headers(`${other}; a=1;__Host-gatehouse-refresh=own`);
    expect(readCookies(options, both).refreshToken).toBe('own');
    expect(changedCookieHeader(options, both, signedOut)).toBe(`${other}; a=1`);
  },
);
