import { csvLine } from './csv-line.js';

describe('csvLine', () => {
  it.each([
    [['a', null, ''], 'a,,'],
    [['one, two', 'say "so"', 'two\nlines'], '"one, two","say ""so""","two\nlines"'],
    [['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'], `'=1+1,'+1,'-1,'@SUM(A1),'\t=1`],
    [['=HYPERLINK("http://evil.example","a")'], `"'=HYPERLINK(""http://evil.example"",""a"")"`],
    [['\r=1'], `"'\r=1"`],
    [['\n=1'], `"'\n=1"`],
    [['＝1+1', '＋1', '－1', '＠SUM(A1)'], "'＝1+1,'＋1,'－1,'＠SUM(A1)"],
    [['a=1', '2026-01-01'], 'a=1,2026-01-01'],
  ])('serializes %j', (cells, line) => expect(csvLine(cells)).toBe(`${line}\r\n`));
});
