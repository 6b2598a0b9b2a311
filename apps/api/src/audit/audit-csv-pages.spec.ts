import { auditCsvPages } from './audit-csv-pages.js';
import type { NamedAuditEntry } from './audit-search.service.js';

const CUT =
  '"Only the newest 1,200 entries are in this file. Narrow the filters to export older entries.",,,,,,,,,,,,,';

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

describe('the audit log as CSV', () => {
  it.each([
    ['fewer than the limit', 1_199, -1],
    ['as many as the limit', 1_200, -1],
    ['as many as the limit, after an empty page', 1_200, 1],
    ['none', 0, -1],
    ['one more than the limit', 1_201, -1],
    ['many more', 5_000, -1],
    ['one more, after an empty page', 1_201, 2],
  ])('holds all of %s, or says in its last line that it was cut', async (_, total, short) => {
    const lines = await linesOf(total, 1_200, short);
    const entries = lines.filter((line) => /,entry-\d+$/.test(line));
    expect(entries).toHaveLength(Math.min(total, 1_200));
    expect(lines.slice(entries.length)).toEqual(total > 1_200 ? [CUT] : []);
  });

  it('says so also where the last page was full', async () => {
    const lines = await linesOf(2_500, 2_000);
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toContain('Only the newest 2,000 entries');
  });
});
