import { isLogoUrl, isPageOrigin, isPageUrl, isSecureOrigin } from './page-url.js';

describe('isPageUrl', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com:8443/a%20b?next=/x&y=[1]#/route',
    'https://app.example.com/@ada',
    'https://192.0.2.7/welcome',
    'https://[2001:db8::1]:8443/welcome',
    'http://localhost:5173/welcome',
    'http://shop.localhost:5173/welcome',
    'http://127.0.0.1:5173/welcome',
    'http://[::1]:5173/welcome',
    'com.example.app:/welcome',
    'com.example.app://welcome/back?x=1',
    'com.example-shop.app2:/@ada',
  ])('takes %s', (url) => expect(isPageUrl(url)).toBe(true));

  it.each([
    ['nothing', ''],
    ['a path', '/welcome'],
    ['no scheme', '//app.example.com/'],
    ['no host', 'https://'],
    ['no host but a path', 'https:///app.example.com/'],
    ['missing slashes', 'https:app.example.com/'],
    ['a port out of range', 'https://app.example.com:65536/'],
    ['http', 'http://app.example.com/'],
    ['http of the local network', 'http://192.168.1.5:5173/'],
    ['http of a name that begins like this machine', 'http://localhost.example.com/'],
    ['http of a name that ends like this machine', 'http://evillocalhost/'],
    ['http of a name that begins like an address', 'http://127.0.0.1.example.com/'],
    ['a script', 'javascript:alert(1)'],
    ['a script with slashes', 'javascript://app.example.com/%0aalert(1)'],
    ['a script in capitals', 'JAVASCRIPT:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['vbscript', 'vbscript:x'],
    ['a file', 'file:///etc/passwd'],
    ['a blob', 'blob:https://app.example.com/x'],
    ['an app scheme that is no domain name', 'myapp:/welcome'],
    ['an app scheme without a path', 'com.example.app:welcome'],
    ['an app scheme in capitals', 'COM.example.app:/welcome'],
    ['an empty label', 'com..app:/welcome'],
    ['a login', 'https://ada:secret@app.example.com/'],
    ['a user', 'https://app.example.com@evil.example/'],
    ['an empty login', 'https://@app.example.com/'],
    ['a login of an app scheme', 'com.example.app://ada@host/x'],
    ['a backslash', 'https://app.example.com\\@evil.example/'],
    ['backslashes for slashes', 'https:\\\\app.example.com\\'],
    ['a blank in front', ' https://app.example.com/'],
    ['a blank', 'https://app.example.com/a b'],
    ['a line feed', 'https://app.example.com/\n'],
    ['a line break inside', 'https://app.example.com/\r\nSet-Cookie: a=b'],
    ['a tab in the scheme', 'java\tscript:alert(1)'],
    ['a NUL', 'https://app.example.com/\0'],
    ['a quote', 'https://app.example.com/"onclick="x'],
    ['a tag', 'https://app.example.com/<b>'],
    ['a wildcard', 'https://*.example.com/'],
    ['an encoded host', 'https://ex%61mple.com/'],
    ['letters beyond ASCII', 'https://münchen.example/'],
    ['a right-to-left override', 'https://app.example.com/\u202egpj'],
    ['one character too many', `https://app.example.com/${'x'.repeat(2025)}`],
  ])('refuses %s', (_, url) => expect(isPageUrl(url)).toBe(false));

  it('takes 2048 characters', () => {
    expect(isPageUrl(`https://app.example.com/${'x'.repeat(2024)}`)).toBe(true);
  });
});

describe('isLogoUrl', () => {
  it.each([
    'https://cdn.example.com/logo.svg',
    'HTTPS://CDN.example.com:8443?logo',
    'https://192.0.2.7/logo',
  ])('takes %s', (url) => expect(isLogoUrl(url)).toBe(true));

  it.each([
    'http://localhost/logo.svg',
    'com.example.app:/logo.svg',
    'data:image/png;base64,AAAA',
    'https://ada@cdn.example.com/logo.svg',
    'https://cdn.example.com;script-src/logo.svg',
    'https://*.example.com/logo.svg',
    'https://[2001:db8::1]/logo.svg',
  ])('refuses %s', (url) => expect(isLogoUrl(url)).toBe(false));
});

describe('isPageOrigin', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com:8443',
    'https://xn--mnchen-3ya.example',
    'http://localhost:5173',
    'http://192.168.1.5:5173',
    'http://[::1]:5173',
    'http://shop.example.com',
  ])('takes %s', (origin) => expect(isPageOrigin(origin)).toBe(true));

  it.each([
    '',
    '*',
    'null',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/x',
    'https://app.example.com?x',
    'https://app.example.com#x',
    'https://app.example.com:443',
    'http://app.example.com:80',
    'https://APP.example.com',
    'HTTPS://app.example.com',
    'https://münchen.example',
    'https://*.example.com',
    'https://ada@app.example.com',
    ' https://app.example.com',
    'https://app.example.com\n',
    'http://0x7f.1',
    'http://[0:0:0:0:0:0:0:1]',
    'ftp://app.example.com',
    'file://',
    'com.example.app:/x',
    'javascript:alert(1)',
    `https://${'a'.repeat(260)}`,
  ])('refuses %j', (origin) => expect(isPageOrigin(origin)).toBe(false));
});

describe('isSecureOrigin', () => {
  it('is https, or of this machine', () => {
    const origins = [
      'https://app.example.com',
      'http://localhost:5173',
      'http://127.0.0.1',
      'http://[::1]:5173',
    ];
    expect(origins.filter(isSecureOrigin)).toEqual(origins);
    expect(['http://192.168.1.5:5173', 'http://app.example.com'].filter(isSecureOrigin)).toEqual([]);
  });
});
