import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { splitWords } from '../../../../test/support/split-words.js';
import { canonicalLocale } from '../languages/locale.js';
import { parseUrl } from '../urls/parse-url.js';

/**
 * These tests cover the runtime's Unicode tables and parsers that Gatehouse still uses. They run on every supported
 * Node.js version (docs/adr/0099-unicode-tables.md).
 */
const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));

/** Returns the number and a digest of the characters that a predicate accepts. */
function summarize(accepts: (character: string) => boolean): string {
  const accepted = characters.filter(accepts).map((character) => character.codePointAt(0));
  return `${accepted.length} ${createHash('sha256').update(accepted.join()).digest('hex').slice(0, 16)}`;
}

it('rejects the same characters in names, subjects and codes on every runtime', () => {
  expect({
    controls: summarize((character) => /\p{Cc}/u.test(character)),
    surrogates: summarize((character) => /\p{Cs}/u.test(character)),
    separators: summarize((character) => /[\p{Zl}\p{Zp}]/u.test(character)),
    invisible: summarize((character) => /\p{Default_Ignorable_Code_Point}/u.test(character)),
    bidirectional: summarize((character) => /\p{Bidi_Control}/u.test(character)),
    whitespace: summarize((character) => /\s/.test(character)),
    trimmed: summarize((character) => character.trim() === ''),
  }).toEqual({
    controls: '65 37ddfdc3beace58d',
    surrogates: '2048 7ca570215e69f6dd',
    separators: '2 80aaa186433f463c',
    invisible: '4174 f92e3ee8c6784b62',
    bidirectional: '12 5dbbac5f99436068',
    whitespace: '25 9ff22a9021f8db28',
    trimmed: '25 9ff22a9021f8db28',
  });
});

it('lowercases only the dotted capital I and the Kelvin sign to ASCII', () => {
  const found = characters.filter(
    (character) => character > '\x7f' && /[\0-\x7f]/.test(character.toLowerCase()),
  );
  expect(found).toEqual(['\u0130', '\u212a']);
});

it('returns the same language tag on every runtime', () => {
  const tags = splitWords(
    'DE-at iw zh-hans-cn sr-YU en-UK und i-klingon x-private de-DE-1996 pt-BR-u-co-standard',
  );
  expect(tags.map(canonicalLocale)).toEqual([
    'de-AT',
    'he',
    'zh-Hans-CN',
    'sr-RS',
    'en-GB',
    'und',
    null,
    null,
    'de-DE-1996',
    'pt-BR-u-co-standard',
  ]);
});

it('accepts the same IP notations on every runtime', () => {
  const addresses =
    splitWords(`192.0.2.1 2001:db8::1 ::ffff:192.0.2.1 ::192.0.2.1 fe80::1%eth0 192.0.02.1 192.0.2
    0xc0.0.2.1 1::2::3 [::1] ::ffff:192.0.02.1`);
  expect(addresses.map(isIP)).toEqual([4, 6, 6, 6, 6, 0, 0, 0, 0, 0, 0]);
});

it('returns the same URL on every runtime', () => {
  const urls =
    splitWords(`https://a.example:0443/ http://192.0.2/ http://0x7f.1/ http://a.0x/ http://4294967296/
    http://[::ffff:192.0.2.1]/ http://a..b/ http://a_b.example/ http://a|b/ http://a^b/ https://a.example/../%2e%2e/b
    https://a.example/b|c?d|'e#f|g https:\\\\a.example\\b https:///a.example/ https://a.example:65536/ https://a.example:
    https://ada@a@b/ com.example.app:/a|b com.example.app://A_b/ com.example.app:a`);
  expect(urls.map((url) => parseUrl(url)?.href ?? 'invalid')).toEqual(
    splitWords(`https://a.example/ http://192.0.0.2/ http://127.0.0.1/ invalid invalid
      http://[::ffff:c000:201]/ http://a..b/ http://a_b.example/ invalid invalid https://a.example/b
      https://a.example/b|c?d|%27e#f|g https://a.example/b https://a.example/ invalid https://a.example/
      https://ada%40a@b/ com.example.app:/a|b com.example.app://A_b/ com.example.app:a`),
  );
});
