import { isReturnUrl, returnUrlFault } from './return-url.js';

describe('isReturnUrl (IN-10)', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com/billing?tab=plan&from=/home#top',
    'https://app.example.com:8443/billing',
    'HTTPS://APP.example.com/billing',
    'https://192.0.2.7/billing',
    'http://localhost:5173/billing',
    'http://app.localhost:5173/billing',
    'http://127.0.0.1:5173/billing',
    'http://[::1]:5173/billing',
  ])('takes %s', (url) => expect(isReturnUrl(url)).toBe(true));

  it.each([
    ['nothing', ''],
    ['a path', '/billing'],
    ['a host alone', 'app.example.com/billing'],
    ['no scheme', '//app.example.com/billing'],
    ['http', 'http://app.example.com/billing'],
    ['http of the local network', 'http://192.168.1.5/billing'],
    ['http of a name that begins like this machine', 'http://localhost.example.com/'],
    ['http with the name of this machine as its user', 'http://localhost@evil.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a script in capitals', 'JaVaScRiPt:alert(1)'],
    ['a script that looks like a URL', 'javascript://app.example.com/%0aalert(1)'],
    ['a script behind a control', '\u0001javascript:alert(1)'],
    ['a script with a tab inside', 'java\tscript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['a file', 'file:///etc/passwd'],
    ['a blob', 'blob:https://app.example.com/x'],
    ['the scheme of an app', 'com.example.app:/billing'],
    ['a missing slash', 'https:/app.example.com/'],
    ['missing slashes', 'https:app.example.com/'],
    ['a slash too many', 'https:///app.example.com/'],
    ['a backslash', 'https://app.example.com\\@evil.example/'],
    ['backslashes for slashes', 'https:\\\\app.example.com/'],
    ['a backslash in the path', 'https://app.example.com/\\evil.example'],
    ['a login', 'https://ada:secret@app.example.com/'],
    ['a user', 'https://app.example.com@evil.example/'],
    ['an empty user', 'https://@app.example.com/'],
    ['a blank in front', ' https://app.example.com/'],
    ['a blank', 'https://app.example.com/a b'],
    ['a line break', 'https://app.example.com/\r\nLocation: https://evil.example/'],
    ['a line feed at the end', 'https://app.example.com/\n'],
    ['a NUL', 'https://app.example.com/\0'],
    ['a delete', 'https://app.example.com/\u007f'],
    ['a tag', 'https://app.example.com/<b>'],
    ['letters beyond ASCII', 'https://аpp.example.com/'],
    ['a right-to-left override', 'https://app.example.com/\u202egpj'],
    ['a port that is none', 'https://app.example.com:99999/'],
    ['one character too many', `https://app.example.com/${'x'.repeat(2025)}`],
  ])('refuses %s', (_, url) => expect(isReturnUrl(url)).toBe(false));
});

describe('returnUrlFault (IN-10)', () => {
  const origins = ['https://app.example.com', 'http://localhost:5173'];

  it.each([
    ['anywhere, without a list', 'https://evil.example/', [], true, null],
    ['this machine, outside production', 'http://localhost:5173/x', [], false, null],
    ['this machine, in production', 'http://localhost:5173/x', [], true, 'https://'],
    ['this machine, in production and on the list', 'http://localhost:5173/x', origins, true, 'https://'],
    ['an origin of the list', 'https://app.example.com/x?y#z', origins, true, null],
    ['an origin of the list with its default port', 'https://app.example.com:443/x', origins, true, null],
    ['an origin of the list in capitals', 'HTTPS://APP.EXAMPLE.COM/x', origins, true, null],
    ['this machine, on the list', 'http://localhost:5173/x', origins, false, null],
    ['another port', 'https://app.example.com:8443/x', origins, true, 'billingReturnOrigins'],
    ['another port of this machine', 'http://localhost:8080/x', origins, false, 'billingReturnOrigins'],
    ['another scheme', 'https://localhost:5173/x', origins, false, 'billingReturnOrigins'],
    ['a name above', 'https://example.com/', origins, true, 'billingReturnOrigins'],
    ['a name below', 'https://x.app.example.com/', origins, true, 'billingReturnOrigins'],
    ['a name that begins alike', 'https://app.example.com.evil.example/', origins, true, 'billingReturn'],
    [
      'the origin in the path',
      'https://evil.example/https://app.example.com',
      origins,
      true,
      'billingReturn',
    ],
  ])('%s', (_, url, list, production, fault) => {
    const found = returnUrlFault(url, list, production);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toContain(fault);
  });
});
