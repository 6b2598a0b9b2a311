import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { asciiHost, currentAsciiHost } from './ascii-host.js';

it.each([
  ['example.com', 'example.com'],
  ['EXAMPLE.com', 'example.com'],
  ['my_host', 'my_host'],
  ['my_app.MÜNCHEN.de', 'my_app.xn--mnchen-3ya.de'],
  ['münchen.de', 'xn--mnchen-3ya.de'],
  ['MU\u0308NCHEN.de', 'xn--mnchen-3ya.de'],
  ['XN--MNCHEN-3YA.de', 'xn--mnchen-3ya.de'],
  ['straße.de', 'xn--strae-oqa.de'],
  ['STRA\u1e9eE.de', 'xn--strae-oqa.de'],
  ['ό\u03c2.gr', 'xn--3xat.gr'],
  ['例え。jp', 'xn--r8jz45g.jp'],
  ['ｅｘａｍｐｌｅ．com', 'example.com'],
  ['a\u00adb.com', 'ab.com'],
  ['\u04c0.com', 'xn--s5a.com'],
  ['نامه\u200cای.com', 'xn--mgba3gch31f060k.com'],
  ['נאמה.com', 'xn--4dbi3ag.com'],
])('EV-06: converts %j to the ASCII form %j on every runtime', (host, expected) => {
  expect(asciiHost(host)).toBe(expected);
  expect(asciiHost(expected)).toBe(expected);
});

it.each<[string, string[]]>([
  [
    'encoded labels that decode to nothing, to ASCII or to an invalid label',
    ['xn--', 'xn--a', 'xn--0', 'xn--a-', 'xn--zzzzzz99999', 'www.xn--a.example'],
  ],
  [
    'encoded labels of letters that have a different canonical form',
    ['xn--zca\u1e9e', 'xn--ss-xx', 'xn--a-ecp.ru'],
  ],
  [
    'characters that host names do not allow',
    ['a\u2100b.com', 'a\uff0fb.com', 'a\uff20b.com', '\u202ea.com'],
  ],
  [
    'invalid ASCII characters next to non-ASCII letters',
    ['ä b.com', 'ä@b.com', 'ä／b.com', 'ä:b.com', 'ä%.com'],
  ],
  ['a mark without a letter', ['\u0308a.com', 'a.\u0308.com']],
  ['joiners outside their scripts', ['a\u200cb.com', 'a\u200d.com']],
  ['mixed text directions in a label', ['aא.com', '1א.com', 'אa.com']],
  ['lone surrogates', ['\ud800.com', 'a\udc00.com']],
  [
    'characters that are not assigned in Unicode 16',
    ['\u{1acf}a.com', 'a\u{1acf}.com', '\u{323b0}.com', '\u{378}.com'],
  ],
  ['a hostile length', ['ä'.repeat(1_001), `${'ä.'.repeat(1_000_000)}com`]],
])('EV-06: rejects %s', (_, hosts) => expect(hosts.filter((host) => asciiHost(host) !== null)).toEqual([]));

it.each([
  ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ['my_host', 'my_host'],
  ['xn--strae-301b.de', 'xn--strae-oqa.de'],
  ['xn--a', null],
  ['xn--a-0hc.com', null],
])('converts the stored form %s to the current form %s', (stored, expected) =>
  expect(currentAsciiHost(stored)).toBe(expected),
);

/** Ranges of code points (first, last) that contain the characters with other normal forms. */
const RANGES = [
  [0x80, 0x2fff],
  [0xf900, 0xffff],
  [0x105c0, 0x105ff],
  [0x11380, 0x113ff],
  [0x1d400, 0x1d7ff],
  [0x1f100, 0x1f2ff],
];

it('EV-06: converts characters and their normal forms to the same ASCII on every runtime', () => {
  const hash = createHash('sha256');
  for (const [first = 0, last = 0] of RANGES)
    for (let code = first; code <= last; code += 1) {
      const text = `a${String.fromCodePoint(code)}`;
      const host = asciiHost(text);
      const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => `${text}\u0301`.normalize(form));
      // A newer runtime may normalize characters that are not assigned in Unicode 16.
      if (host !== null) hash.update([code, host, ...forms].join(' '));
    }
  expect(hash.digest('hex')).toBe('0f8e992488f105b4c1da54605cfeb9d932bfb84e7f4c98f510db5ac4c53018b0');
});

it('EV-06: runs on a Unicode version that includes every character in the UTS 46 tables', () => {
  // The normal forms of assigned characters never change, so a runtime with a newer Unicode version produces the same
  // ones.
  const { unicodeVersion } = createRequire(import.meta.url)('tr46/package.json') as {
    unicodeVersion: string;
  };
  expect(unicodeVersion).toBe('16.0.0');
  expect(Number.parseFloat(process.versions['unicode']!)).toBeGreaterThanOrEqual(16);
});
