import { safeReturnUrl, withQuery } from './return-url.js';

it('returns only paths of this site', () => {
  const paths = [
    '/',
    '/orders',
    '/orders?page=2&sort=a%20b#last',
    '/a/../b',
    '/%2f%2fevil.example',
    '/?u=//x',
  ];
  const kept = paths.map((path) => [path, new URL(path, 'https://shop.example').href.slice(20)]);
  expect(paths.map((path) => [path, safeReturnUrl(path)])).toEqual(kept);
  const other = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/./\\evil.example',
    '///evil.example',
    'javascript:alert(1)',
    '/\0//evil.example/..//',
    'orders',
    '',
    null,
    undefined,
  ];
  for (const url of other)
    expect([url, new URL(safeReturnUrl(url), 'https://shop.example').origin]).toEqual([
      url,
      'https://shop.example',
    ]);
  expect(other.slice(0, 13).map(safeReturnUrl)).toEqual(Array(13).fill('/'));
});

it('adds a query parameter before the fragment', () => {
  expect(withQuery('/sign-in', 'redirect_url', '/a?b=c&d')).toBe('/sign-in?redirect_url=%2Fa%3Fb%3Dc%26d');
  expect(withQuery('/sign-in?lang=de#form', 'redirect_url', '/')).toBe(
    '/sign-in?lang=de&redirect_url=%2F#form',
  );
});
