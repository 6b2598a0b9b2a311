import { canonicalName, isVisible } from './name.js';

it.each([
  ['a decomposed letter', 'Jose\u0301', 'Jos\u00e9'],
  ['a decomposed syllable', '\u1112\u1161\u11ab', '\ud55c'],
  ['a composed letter', 'Jos\u00e9', 'Jos\u00e9'],
  ['a compatibility character, which NFC keeps', '\ufb01 \u2460', '\ufb01 \u2460'],
  ['surrounding spaces', ' \t Ada\u00a0', 'Ada'],
  ['Unicode line breaks', 'A\nB\r\nC\rD\u2028E\u2029F\u0085G\vH\fI', 'A B C D E F G H I'],
  ['surrounding line breaks', '\nAda\r\n', 'Ada'],
  ['control characters, which fields reject', 'A\0\tB', 'A\0\tB'],
  ['direction overrides', '\u202eAda\u202c', '\u202eAda\u202c'],
  ['whitespace only', ' \n', ''],
])('canonicalizes a name with %s', (_, text, expected) => {
  expect(canonicalName(text)).toBe(expected);
  expect(canonicalName(expected)).toBe(expected);
});

it('requires a visible character', () => {
  const invisible = [
    ...[
      '',
      ' ',
      '\u00a0\u3000',
      '\u200b',
      '\u200b\u200c\u200d\u2060\ufeff',
      '\u00ad',
      '\u034f',
      '\ufe0f',
      '\u2800',
    ],
    ...['\u202e', '\u200e\u200f\u061c', '\u202a\u202b\u202c\u202d\u202e', '\u2066\u2067\u2068\u2069'],
    ...[
      '\u3164',
      '\uffa0',
      '\u115f\u1160',
      '\u17b4\u17b5',
      '\u180e',
      '\ufff9\ufffa\ufffb',
      '\u{e0001}\u{e0041}',
      '\u{1d173}',
    ],
  ];
  expect(invisible.filter(isVisible)).toEqual([]);
  const visible = ['a', '\u202ea', '山', '한', 'ע', '🦄', '.', '\u0301', '\ue000', '\u2801', '\u{323af}'];
  expect(visible.filter((text) => !isVisible(text))).toEqual([]);
});
