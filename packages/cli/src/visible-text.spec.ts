import { fitText, visibleJson, visibleLines, visibleText, widthOf } from './visible-text.js';

it('replaces characters that control the terminal, are invisible or change the order of text', () => {
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

it('prints the lines of a text, with tabs as spaces', () => {
  expect(visibleLines('a\r\n\tb\u001b\nc')).toEqual(['a', '    b[U+001B]', 'c']);
});

it('escapes the same characters in JSON without changing its value', () => {
  const value = { name: '\u001b[31m \u009b \u007f \u202e \u{e0041} \u2028 👩‍💻', id: 1 };
  const text = visibleJson(value);
  expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u{e0041}]/u);
  expect(text).toContain('\\u202e');
  expect(JSON.parse(text)).toEqual(value);
});

it('counts the columns that a text takes, and shortens it to a number of columns', () => {
  const widths: [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['👩‍💻', 2],
    ['ｆｕ', 4],
    ['한', 2],
  ];
  expect(widths.map(([text]) => widthOf(text))).toEqual(widths.map(([, width]) => width));
  const cases: [string, number, string][] = [
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👩‍💻👩‍💻', 3, '👩‍💻…'],
  ];
  expect(cases.map(([text, width]) => fitText(text, width))).toEqual(cases.map(([, , fitted]) => fitted));
});
