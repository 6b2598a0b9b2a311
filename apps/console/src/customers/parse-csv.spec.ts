import { parseCsv } from './parse-csv';

describe('parseCsv', () => {
  it.each([
    [
      'simple rows',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'the last row without a line end',
      'a,b\n1,',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    [
      'quoted cells',
      'a,b\n"x, ""y""","two\r\nlines"\n',
      [
        ['a', 'b'],
        ['x, "y"', 'two\r\nlines'],
      ],
    ],
    [
      'semicolons',
      'a;b\n1,5;2',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'tabs',
      'a\tb\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a byte order mark and empty rows',
      '\ufeffa,b\n\n,\n1,2\n\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'the formula guard of exports',
      `a,b\n'=1+1,'it\n"'@x",''`,
      [
        ['a', 'b'],
        ['=1+1', `'it`],
        ['@x', `''`],
      ],
    ],
    [
      'an empty quoted cell',
      'a,b\n"",1',
      [
        ['a', 'b'],
        ['', '1'],
      ],
    ],
    ['an empty file', '', []],
  ])('parses %s', (_, text, rows) => expect(parseCsv(text)).toEqual(rows));

  it('rejects a quoted cell that is not closed', () => {
    expect(() => parseCsv('a\n"b')).toThrow('A quoted cell is not closed.');
  });
});
