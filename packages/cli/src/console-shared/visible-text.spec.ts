import { showInvisible, splitInvisible, visibleJson, visibleLines, visibleText } from './visible-text.js';

describe('splitInvisible', () => {
  it.each([
    ['invoice\u202Efdp.exe', 'invoice[U+202E]fdp.exe'],
    ['a\u2066b\u2069c\u200Ed\u061C', 'a[U+2066]b[U+2069]c[U+200E]d[U+061C]'],
    ['pay\u200Bpal\u00AD.com\uFEFF', 'pay[U+200B]pal[U+00AD].com[U+FEFF]'],
    ['\u0000\u001B[31m\u007F\u0085', '[U+0000][U+001B][31m[U+007F][U+0085]'],
    ['a\u200Db\u200Cc \uFE0F', 'a[U+200D]b[U+200C]c [U+FE0F]'],
    ['\u3164\u{E0041}\uD800x\u2028', '[U+3164][U+E0041][U+D800]x[U+2028]'],
  ])('shows the invisible characters in %j', (text, shown) => {
    expect(showInvisible(text)).toBe(shown);
  });

  it.each(['', 'Ada\tLovelace\r\n', '👩‍💻 ❤️ 👍🏽 1️⃣ 🏳️‍🌈', 'می‌خواهم', 'क्‍ष', '日本語 עברית مرحبا', '葛\u{E0100}'])(
    'leaves %j unchanged',
    (text) => expect(splitInvisible(text)).toEqual(text ? [{ text, isCode: false }] : []),
  );
});

it('replaces characters that control the terminal, are invisible or change the text order', () => {
  const cases: [string, string][] = [
    ['Ada Lovelace', 'Ada Lovelace'],
    ['\u001b[2J\u001b]0;owned\u0007', '[U+001B][2J[U+001B]]0;owned[U+0007]'],
    ['\u009b31m', '[U+009B]31m'],
    ['a\r\nb\tc\u007f', 'a[U+000D][U+000A]b[U+0009]c[U+007F]'],
    ['moc.\u202eelpmaxe', 'moc.[U+202E]elpmaxe'],
    ['\u2066x\u2069\u200e\u200f\u061c', '[U+2066]x[U+2069][U+200E][U+200F][U+061C]'],
    ['a\u200bb\u00adc\ufeffd\u2060', 'a[U+200B]b[U+00AD]c[U+FEFF]d[U+2060]'],
    ['a\u200db', 'a[U+200D]b'],
    ['\u{e0041}', '[U+E0041]'],
    ['\ud800', '[U+D800]'],
    ['a\u2028b', 'a[U+2028]b'],
    ['👩‍💻 ❤️ می‌خواهم', '👩‍💻 ❤️ می‌خواهم'],
  ];
  expect(cases.map(([text]) => visibleText(text))).toEqual(cases.map(([, expected]) => expected));
});

it('splits a string into lines, with tabs as spaces', () => {
  expect(visibleLines('a\r\n\tb\u001b\nc')).toEqual(['a', '    b[U+001B]', 'c']);
});

it('escapes the same characters in JSON without changing its value', () => {
  const value = { name: '\u001b[31m \u009b \u007f \u202e \u{e0041} \u2028 👩‍💻', id: 1 };
  const text = visibleJson(value);
  expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u{e0041}]/u);
  expect(text).toContain('\\u202e');
  expect(JSON.parse(text)).toEqual(value);
});
