import { splitWords } from '../../../../test/support/split-words.js';
import { isLogoUrl, isPageOrigin, isPageUrl, isSecureOrigin } from './page-url.js';

const app = 'https://app.example.com/';

it('accepts https, http on the local machine and custom app schemes as page URLs', () => {
  const urls = splitWords(`https://app.example.com https://app.example.com/ https://app.example.com/@ada
    https://app.example.com:8443/a%20b?next=/x&y=[1]#/route https://192.0.2.7/welcome
    https://[2001:db8::1]:8443/welcome http://localhost:5173/welcome http://shop.localhost:5173/welcome
    http://127.0.0.1:5173/welcome http://[::1]:5173/welcome com.example.app:/welcome
    com.example.app://welcome/back?x=1 com.example-shop.app2:/@ada`);
  expect([...urls, app + 'x'.repeat(2024)].filter((url) => !isPageUrl(url))).toEqual([]);
});

it.each<[string, string[]]>([
  [
    'incomplete URLs',
    [
      '',
      ...splitWords('/welcome //app.example.com/ https:// https:///app.example.com/ https:app.example.com/'),
    ],
  ],
  ['a port out of range', ['https://app.example.com:65536/']],
  [
    'http on another machine',
    splitWords(`http://app.example.com/ http://192.168.1.5:5173/ http://localhost.example.com/ http://evillocalhost/
      http://127.0.0.1.example.com/`),
  ],
  [
    'scripts, data and files',
    splitWords(`javascript:alert(1) javascript://app.example.com/%0aalert(1) JAVASCRIPT:alert(1) vbscript:x
      data:text/html,<script>alert(1)</script> file:///etc/passwd blob:https://app.example.com/x`),
  ],
  ['a script with a tab in its scheme', ['java\tscript:alert(1)']],
  [
    'invalid app schemes',
    splitWords('myapp:/welcome com.example.app:welcome COM.example.app:/welcome com..app:/x'),
  ],
  [
    'credentials',
    splitWords(`https://ada:secret@app.example.com/ https://app.example.com@evil.example/ https://@app.example.com/
      com.example.app://ada@host/x`),
  ],
  ['backslashes', ['https://app.example.com\\@evil.example/', 'https:\\\\app.example.com\\']],
  [
    'whitespace and control characters',
    [` ${app}`, ...['a b', '\n', '\r\nSet-Cookie: a=b', '\0'].map((end) => app + end)],
  ],
  ['markup', [`${app}"onclick="x`, `${app}<b>`]],
  [
    'disguised hosts and non-ASCII characters',
    [
      ...splitWords('https://*.example.com/ https://ex%61mple.com/ https://münchen.example/'),
      `${app}\u202egpj`,
    ],
  ],
  ['invalid encoded labels', splitWords('https://xn--a/ https://www.xn--0.example/ http://xn--.localhost/')],
  ['2,049 characters', [app + 'x'.repeat(2025)]],
])('rejects as a page URL: %s', (_, urls) => expect(urls.filter(isPageUrl)).toEqual([]));

it('accepts only https with a plain host as a logo URL', () => {
  const urls = splitWords(
    'https://cdn.example.com/logo.svg HTTPS://CDN.example.com:8443?logo https://192.0.2.7/logo',
  );
  expect(urls.filter((url) => !isLogoUrl(url))).toEqual([]);
  const others = splitWords(`http://localhost/logo.svg com.example.app:/logo.svg data:image/png;base64,AAAA
    https://ada@cdn.example.com/logo.svg https://cdn.example.com;script-src/logo.svg https://*.example.com/logo.svg
    https://[2001:db8::1]/logo.svg`);
  expect(others.filter(isLogoUrl)).toEqual([]);
});

it('accepts an origin only in the form in which browsers send it', () => {
  const origins =
    splitWords(`https://app.example.com https://app.example.com:8443 https://xn--mnchen-3ya.example
    http://localhost:5173 http://192.168.1.5:5173 http://[::1]:5173 http://shop.example.com`);
  expect(origins.filter((origin) => !isPageOrigin(origin))).toEqual([]);
  const others = splitWords(`* null app.example.com https://app.example.com/ https://app.example.com/x
    https://app.example.com?x https://app.example.com#x https://app.example.com:443 http://app.example.com:80
    https://APP.example.com HTTPS://app.example.com https://münchen.example https://*.example.com
    https://ada@app.example.com http://0x7f.1 http://[0:0:0:0:0:0:0:1] ftp://app.example.com file://
    com.example.app:/x javascript:alert(1) https://xn--a https://xn--zzzzzz99999.example https://${'a'.repeat(260)}`);
  const withBlanks = ['', ' https://app.example.com', 'https://app.example.com\n'];
  expect([...withBlanks, ...others].filter(isPageOrigin)).toEqual([]);
});

it('accepts https and the local machine as secure origins', () => {
  const secure = splitWords(
    'https://app.example.com http://localhost:5173 http://127.0.0.1 http://[::1]:5173',
  );
  const others = splitWords('http://192.168.1.5:5173 http://app.example.com');
  expect([...secure, ...others].filter(isSecureOrigin)).toEqual(secure);
});
