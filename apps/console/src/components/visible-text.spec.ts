import { showInvisible, splitInvisible } from './visible-text';

describe('splitInvisible', () => {
  it.each([
    ['invoice\u202Efdp.exe', 'invoice[U+202E]fdp.exe'],
    ['a\u2066b\u2069c\u200Ed\u061C', 'a[U+2066]b[U+2069]c[U+200E]d[U+061C]'],
    ['pay\u200Bpal\u00AD.com\uFEFF', 'pay[U+200B]pal[U+00AD].com[U+FEFF]'],
    ['\u0000\u001B[31m\u007F\u0085', '[U+0000][U+001B][31m[U+007F][U+0085]'],
    ['a\u200Db\u200Cc \uFE0F', 'a[U+200D]b[U+200C]c [U+FE0F]'],
    ['\u3164\u{E0041}\uD800x\u2028', '[U+3164][U+E0041][U+D800]x[U+2028]'],
  ])('shows the invisible characters of %j', (text, shown) => {
    expect(showInvisible(text)).toBe(shown);
  });

  it.each(['', 'Ada\tLovelace\r\n', '👩‍💻 ❤️ 👍🏽 1️⃣ 🏳️‍🌈', 'می‌خواهم', 'क्‍ष', '日本語 עברית مرحبا', '葛\u{E0100}'])(
    'leaves %j unchanged',
    (text) => expect(splitInvisible(text)).toEqual(text ? [{ text, isCode: false }] : []),
  );
});
