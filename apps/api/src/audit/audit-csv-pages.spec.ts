import { auditCsvPages } from './audit-csv-pages.js';
import type { NamedAuditEntry } from './audit-search.service.js';

const CUT =
  '"Only the newest 1,200 entries are in this file; narrow the filters for older ones.",,,,,,,,,,,,,';

/** @param short the page that comes out empty, as where what was looked at held no match */
async function linesOf(total: number, most: number, short = -1): Promise<string[]> {
  let pages = 0;
  const read = async (before: string | null, limit: number) => {
    const from = Number(before ?? 0);
    if (pages++ === short) return { items: [], next: String(from) };
    const to = Math.min(total, from + limit);
    const items = Array.from({ length: to - from }, (_, index) => entry(from + index));
    // As a look that ends with its window: something may follow, or nothing.
    return { items, next: from < total ? String(to) : null };
  };
  let text = '';
  for await (const page of auditCsvPages(read, most)) text += page;
  expect(text.endsWith('\r\n')).toBe(true);
  return text.split('\r\n').slice(1, -1);
}

const entry = (index: number): NamedAuditEntry =>
  ({ id: `entry-${index}`, createdAt: new Date(0), details: {} }) as NamedAuditEntry;

describe('the audit log as a table', () => {
  it.each([
    ['fewer than fit', 1_199, -1],
    ['as many as fit', 1_200, -1],
    ['as many as fit, after a page without any', 1_200, 1],
    ['none', 0, -1],
  ])('holds all of %s, and says nothing else', async (_, total, short) => {
    const lines = await linesOf(total, 1_200, short);
    expect(lines).toHaveLength(total);
    expect(lines.filter((line) => !/,entry-\d+$/.test(line))).toEqual([]);
  });

  it.each([
    ['one more than fits', 1_201, -1],
    ['many more', 5_000, -1],
    ['one more, after a page without any', 1_201, 2],
  ])('says in its last line that it was cut, of %s', async (_, total, short) => {
    const lines = await linesOf(total, 1_200, short);
    expect(lines).toHaveLength(1_201);
    expect(lines.at(-1)).toBe(CUT);
    expect(lines.at(-2)).toMatch(/,entry-1199$/);
  });

  it('says it also where the last page was full to the brim', async () => {
    const lines = await linesOf(2_500, 2_000);
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toContain('Only the newest 2,000 entries');
  });
});
