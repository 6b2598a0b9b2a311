import { splitWords } from '../../../../test/support/split-words.js';
import {
  defaultRedirectUrl,
  isOriginAllowed,
  isOriginEntry,
  isRedirectUrlAllowed,
  isRedirectUrlEntry,
} from './wildcard-url.js';

const origin = 'https://*.preview.example.com';
const redirectUrl = `${origin}/callback`;
const withPort = `${origin}:9443/callback?from=/x`;

it('accepts an https URL with one wildcard label as origin or redirect URL', () => {
  const origins = splitWords(`https://*.preview.example.com https://*.example.com https://*.example.com:8443
    https://*.example.co.uk https://*.shop.vercel.app https://*.xn--mnchen-3ya.example https://*.www.ck
    https://*.app.localhost https://app.example.com http://localhost:5173`);
  expect(origins.filter((entry) => !isOriginEntry(entry))).toEqual([]);
  const urls = splitWords(`https://*.preview.example.com/callback https://*.example.com/a%20b?next=/x&y=[1]
    https://*.example.com https://*.example.com? https://*.example.com:443/ https://app.example.com/*
    com.example.app:/welcome http://localhost:5173/`);
  expect(urls.filter((entry) => !isRedirectUrlEntry(entry))).toEqual([]);
});

it.each<[string, string[]]>([
  [
    'a wildcard directly below a public suffix',
    splitWords(`https://*.com https://*.co.uk https://*.test https://*.localhost https://*.xn--p1ai
      https://*.xn--55qx5d.cn https://*.ck https://*.shop.ck https://*.kawasaki.jp`),
  ],
  [
    'a wildcard directly below a private suffix',
    splitWords(`https://*.github.io https://*.vercel.app https://*.netlify.app https://*.pages.dev
      https://*.web.app https://*.s3.amazonaws.com https://*.compute.amazonaws.com`),
  ],
  [
    'a wildcard that is not the complete first label',
    splitWords(`https://* https://*/ https://*:8443 https://*. https://*.example https://a*.example.com
      https://*a.example.com https://a.*.example.com https://*.*.example.com https://**.example.com
      https://*-a.example.com https://example.* https://%2a.example.com https://*example.com`),
  ],
  [
    'another scheme',
    splitWords(`http://*.example.com http://*.app.localhost HTTPS://*.example.com wss://*.example.com
      //*.example.com *.example.com * com.*.app:/x javascript://*.example.com`),
  ],
  [
    'an IP address',
    splitWords('https://*.1.2.3.4 https://*.0.0.1 https://*.[::1] https://*.0x7f.1 https://*.example.0x7f'),
  ],
  [
    'an unusual host',
    splitWords(`https://*.Example.com https://*.example.com. https://*.example..com https://*..example.com
      https://*.exam_ple.com https://*.-example.com https://*.example-.com https://*.münchen.example
      https://*.ex%61mple.com https://*.xn--zzzzzz99999.example https://ada@*.example.com https://*.a@example.com
      https://*.a:b@example.com https://*.example.com:0x1 https://*.example.com:65536 https://*.example.com:
      https://*.${'a'.repeat(64)}.com https://*.${'a.'.repeat(126)}example.com`),
  ],
  [
    'a second wildcard, a fragment, or characters that a URL must encode',
    [
      ...splitWords(`https://*.example.com/* https://*.example.com/?*=1 https://*.example.com/#/callback
        https://*.example.com# https://*.example.com\\@evil.example https://*.example.com/"x https://*.example.com;x`),
      'https://*.example.com/a b',
      'https://*.example.com\n',
      ' https://*.example.com',
      `https://*.example.com/${'x'.repeat(2048)}`,
    ],
  ],
])('rejects as an origin or redirect URL: %s', (_, entries) => {
  expect(entries.filter((entry) => isOriginEntry(entry) || isRedirectUrlEntry(entry))).toEqual([]);
  const urls = entries.map((entry) => `${entry}/callback`);
  expect(urls.filter(isRedirectUrlEntry)).toEqual([]);
});

it('rejects a wildcard origin with a path or the default port', () => {
  const entries = splitWords('https://*.example.com/ https://*.example.com/x https://*.example.com:443');
  expect(entries.filter(isOriginEntry)).toEqual([]);
});

it('FE-01: compares redirect URLs without a wildcard exactly', () => {
  const settings = { redirectUrls: ['https://app.example.com/welcome', 'com.example.app:/welcome'] };
  expect(settings.redirectUrls.filter((url) => !isRedirectUrlAllowed(settings, url))).toEqual([]);
  const urls = splitWords(`https://APP.example.com/welcome https://app.example.com:443/welcome
    https://app.example.com/welcome/ https://app.example.com/welcome?x https://app.example.com/welcome#x
    https://app.example.com/ https://app.example.com/./welcome com.example.app:/Welcome`);
  expect(urls.filter((url) => isRedirectUrlAllowed(settings, url))).toEqual([]);
  expect(isRedirectUrlAllowed({ redirectUrls: [] }, 'https://app.example.com/welcome')).toBe(false);
  // An earlier version may have stored this URL.
  expect(isRedirectUrlAllowed({ redirectUrls: ['https://xn--a/'] }, 'https://xn--a/')).toBe(false);
});

it('FE-01: matches exactly one label for a wildcard in a redirect URL', () => {
  const settings = { redirectUrls: ['https://app.example.com/', redirectUrl, withPort] };
  const urls = splitWords(`https://pr-1.preview.example.com/callback https://a.preview.example.com/callback
    https://7.preview.example.com/callback https://PR-1.Preview.Example.COM/callback
    https://v2--shop.preview.example.com/callback https://a.preview.example.com:9443/callback?from=/x
    https://${'a'.repeat(63)}.preview.example.com/callback https://app.example.com/`);
  expect(urls.filter((url) => !isRedirectUrlAllowed(settings, url))).toEqual([]);
});

it.each<[string, string[]]>([
  [
    'no label, several labels, or the wildcard itself',
    splitWords(`https://preview.example.com/callback https://.preview.example.com/callback
      https://a.b.preview.example.com/callback https://a..preview.example.com/callback
      https://*.preview.example.com/callback https://a.*.preview.example.com/callback`),
  ],
  [
    'a label with other characters',
    splitWords(`https://a_b.preview.example.com/callback https://-a.preview.example.com/callback
      https://a-.preview.example.com/callback https://%61.preview.example.com/callback
      https://a%2eb.preview.example.com/callback https://a%2f.preview.example.com/callback
      https://ü.preview.example.com/callback https://xn--tda.preview.example.com/callback
      https://XN--tda.preview.example.com/callback https://xn--a.preview.example.com/callback
      https://a。preview.example.com/callback https://${'a'.repeat(64)}.preview.example.com/callback`),
  ],
  [
    'another host',
    splitWords(`https://evil.example/callback https://a.preview.example.com.evil.example/callback
      https://apreview.example.com/callback https://a.preview.example.community/callback
      https://a.example.com/callback https://a.preview-example.com/callback https://a.preview.example.com./callback
      https://evil.example/.preview.example.com/callback https://evil.example/a.preview.example.com/callback
      https://evil.example?.preview.example.com/callback https://evil.example#.preview.example.com/callback
      https://evil.example;.preview.example.com/callback https://127.0.0.1/callback https://[::1]/callback`),
  ],
  [
    'credentials and backslashes',
    splitWords(`https://a.preview.example.com@evil.example/callback https://a.preview.example.com:x@evil.example/callback
      https://ada@a.preview.example.com/callback https://ada:x@a.preview.example.com/callback
      https://@a.preview.example.com/callback https://evil.example@a.preview.example.com/callback
      https://evil.example\\.preview.example.com/callback https://evil.example\\@a.preview.example.com/callback
      https:\\\\a.preview.example.com\\callback https://a.preview.example.com\\callback
      https://a.preview.example.com/callback\\`),
  ],
  [
    'another scheme',
    splitWords(`http://a.preview.example.com/callback HTTP://a.preview.example.com/callback
      //a.preview.example.com/callback https:a.preview.example.com/callback https:/a.preview.example.com/callback
      https:///a.preview.example.com/callback javascript://a.preview.example.com/callback
      ftp://a.preview.example.com/callback`),
  ],
  [
    'another port',
    splitWords(`https://a.preview.example.com:443/callback https://a.preview.example.com:/callback
      https://a.preview.example.com:8443/callback https://a.preview.example.com:09443/callback?from=/x
      https://a.preview.example.com:444/callback?from=/x https://a.preview.example.com/callback?from=/x`),
  ],
  [
    'another path, query or fragment',
    splitWords(`https://a.preview.example.com https://a.preview.example.com/ https://a.preview.example.com/callback/
      https://a.preview.example.com/Callback https://a.preview.example.com/callback?
      https://a.preview.example.com/callback?x=1 https://a.preview.example.com/callback#
      https://a.preview.example.com/callback#x https://a.preview.example.com//callback
      https://a.preview.example.com/./callback https://a.preview.example.com/x/../callback
      https://a.preview.example.com/%63allback https://a.preview.example.com/callback;x
      https://a.preview.example.com?/callback https://a.preview.example.com#/callback
      https://a.preview.example.com:9443/callback?from=/X https://a.preview.example.com:9443/callback?from=/x&y`),
  ],
  [
    'whitespace and control characters',
    [
      ' https://a.preview.example.com/callback',
      'https://a.preview.example.com/callback ',
      'https://a.preview.example.com/callback\n',
      'https://evil.example/\nhttps://a.preview.example.com/callback',
      'https://a\t.preview.example.com/callback',
      'https://a .preview.example.com/callback',
      'https://a\0.preview.example.com/callback',
      '',
    ],
  ],
])('FE-01: does not match a wildcard with %s', (_, urls) => {
  const redirectUrls = [redirectUrl, withPort];
  expect(urls.filter((url) => isRedirectUrlAllowed({ redirectUrls }, url))).toEqual([]);
});

it('allows any port in an http redirect URL at a loopback address (RFC 8252, section 7.3)', () => {
  const redirectUrls =
    splitWords(`http://127.0.0.1/callback http://[::1]:3000/callback?from=/x http://127.0.0.1
    http://localhost:3000/callback http://127.0.0.2/callback https://127.0.0.1/secure com.example.app:/callback`);
  const settings = { redirectUrls };
  const urls =
    splitWords(`http://127.0.0.1/callback http://127.0.0.1:80/callback http://127.0.0.1:49152/callback
    http://[::1]/callback?from=/x http://[::1]:49152/callback?from=/x http://127.0.0.1:49152
    http://localhost:3000/callback http://127.0.0.2/callback https://127.0.0.1/secure`);
  expect(urls.filter((url) => !isRedirectUrlAllowed(settings, url))).toEqual([]);
  const others =
    splitWords(`http://localhost/callback http://localhost:49152/callback http://127.0.0.2:49152/callback
    https://127.0.0.1:49152/secure https://127.0.0.1/callback http://127.0.0.1:65536/callback http://127.0.0.1:/callback
    http://127.0.0.1:49152/other http://127.0.0.1:49152/callback/ http://127.0.0.1:49152/callback?x
    http://127.0.0.1:49152/callback#x http://127.0.0.1:49152/ http://[::1]:49152/callback http://[::2]/callback?from=/x
    http://127.0.0.1:x@evil.example/callback http://127.0.0.1:80@evil.example/callback http://127.0.0.1:80.evil.example/callback
    http://127.0.0.1.evil.example/callback http://evil.example/callback http://127.1:49152/callback
    http://0x7f.0.0.1/callback http://[0:0:0:0:0:0:0:1]/callback?from=/x http://[::ffff:127.0.0.1]/callback`);
  expect(others.filter((url) => isRedirectUrlAllowed(settings, url))).toEqual([]);
});

it('FE-01: allows the listed origins, with one label for a wildcard', () => {
  const settings = { allowedOrigins: ['http://localhost:5173', origin, 'https://*.example.com:8443'] };
  const origins =
    splitWords(`http://localhost:5173 https://pr-1.preview.example.com https://a.preview.example.com
    https://a.example.com:8443`);
  expect(origins.filter((each) => !isOriginAllowed(settings, each))).toEqual([]);
  const others =
    splitWords(`null https://*.preview.example.com https://preview.example.com https://a.example.com
    https://a.b.preview.example.com https://A.preview.example.com https://a.preview.example.com:443
    https://a.preview.example.com:8443 https://a.preview.example.com/ http://a.preview.example.com
    https://a.preview.example.com. https://a.preview.example.com.evil.example https://xn--tda.preview.example.com
    https://ada@a.preview.example.com https://evil.example#.preview.example.com`);
  expect(['', ...others].filter((each) => isOriginAllowed(settings, each))).toEqual([]);
  expect(isOriginAllowed({ allowedOrigins: [] }, 'https://evil.example')).toBe(true);
});

it('FE-01: returns the first URL without a wildcard as the default redirect URL', () => {
  const [first, second] = ['https://app.example.com/1', 'https://app.example.com/2'];
  expect(defaultRedirectUrl({ redirectUrls: [redirectUrl, first, second] })).toBe(first);
  expect(defaultRedirectUrl({ redirectUrls: [redirectUrl] })).toBeNull();
  expect(defaultRedirectUrl({ redirectUrls: [] })).toBeNull();
});
