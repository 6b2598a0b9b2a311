import { parseUrl } from './parse-url.js';

it.each([
  ['https://example.com', 'https://example.com/'],
  ['HTTPS://Example.COM:443/Ä?b=ä#c', 'https://example.com/%C3%84?b=%C3%A4#c'],
  ['https://STRA\u1e9eE.de/x', 'https://xn--strae-oqa.de/x'],
  ['https://user:p%C3%A4ss@STRA\u1e9eE.de:8443', 'https://user:p%C3%A4ss@xn--strae-oqa.de:8443/'],
  ['  https:\\\\münchen.de\\x', 'https://xn--mnchen-3ya.de/x'],
  ['https:münchen.de', 'https://xn--mnchen-3ya.de/'],
  ['https://mün\n\tchen.de', 'https://xn--mnchen-3ya.de/'],
  ['ht\ntps:/\n/münchen.de', 'https://xn--mnchen-3ya.de/'],
  ['https://ex%61mple.com/', 'https://example.com/'],
  ['http://0x7f.1', 'http://127.0.0.1/'],
  ['http://①②⑦.⓪.⓪.①', 'http://127.0.0.1/'],
  ['http://[0:0::1]:3000', 'http://[::1]:3000/'],
  ['http://my_host:3000', 'http://my_host:3000/'],
  ['com.example.app:/xn--a', 'com.example.app:/xn--a'],
  ['com.example.app://ä@ö', 'com.example.app://%C3%A4@%C3%B6'],
  ['mailto:ä@münchen.de', 'mailto:%C3%A4@m%C3%BCnchen.de'],
  ['postgres://DB_host/gatehouse', 'postgres://DB_host/gatehouse'],
])('parses %j as %j on every runtime', (text, href) => expect(parseUrl(text)?.href).toBe(href));

it.each<[string, string[]]>([
  ['invalid URLs', ['', 'example.com', '/x', 'https://', 'https://a b.com', 'https://example.com:65536']],
  [
    'encoded labels that UTS 46 rejects',
    [
      'https://xn--a',
      'https://xn--',
      'wss://www.xn--zzzzzz99999.example/x',
      'https://xn%2d%2da/',
      'https://%78n--a',
    ],
  ],
  ['hosts that Node.js would decode and convert', ['https://%C3%BC.example', 'https://stra%E1%BA%9Ee.de']],
  [
    'characters that become delimiters',
    ['https://evil.example\u2100.example', 'https://a\uff0fb.com', 'https://a\uff20b.com'],
  ],
])('rejects %s', (_, texts) => expect(texts.filter((text) => parseUrl(text) !== null)).toEqual([]));
