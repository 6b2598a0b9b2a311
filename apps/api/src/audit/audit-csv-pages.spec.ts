import { auditCsvPages } from './audit-csv-pages.js';
import type { NamedAuditEntry } from './audit-search.service.js';

const TRUNCATION_LINE =
  '"Only the newest 1,200 entries are in this file. Narrow the filters to export older entries.",,,,,,,,,,,,,,';

/**
 * Exports `total` entries and returns the lines.
 * @param emptyPage index of a page to return empty, like a bounded scan without a match
 */
async function exportLines(total: number, maxEntries: number, emptyPage = -1): Promise<string[]> {
  let pages = 0;
  const read = async (before: string | null, limit: number) => {
    const from = Number(before ?? 0);
    if (pages++ === emptyPage) return { items: [], next: String(from) };
    const to = Math.min(total, from + limit);
    const items = Array.from({ length: to - from }, (_, index) => entry(from + index));
    // A bounded scan returns a next id even if its page ends with the last entry of the list.
    return { items, next: from < total ? String(to) : null };
  };
  let text = '';
  for await (const page of auditCsvPages(read, maxEntries)) text += page;
  expect(text.endsWith('\r\n')).toBe(true);
  return text.split('\r\n').slice(1, -1);
}

const entry = (index: number): NamedAuditEntry =>
  ({ id: `entry-${index}`, createdAt: new Date(0), details: {} }) as NamedAuditEntry;

describe('auditCsvPages', () => {
  it.each([
    ['fewer entries than the limit', 1_199, -1],
    ['as many entries as the limit', 1_200, -1],
    ['as many entries as the limit, after an empty page', 1_200, 1],
    ['no entries', 0, -1],
    ['one entry more than the limit', 1_201, -1],
    ['many more entries than the limit', 5_000, -1],
    ['one entry more than the limit, after an empty page', 1_201, 2],
  ])(
    'returns all entries up to the limit, and adds a truncation line only if there are more: %s',
    async (_, total, emptyPage) => {
      const lines = await exportLines(total, 1_200, emptyPage);
      const entries = lines.filter((line) => /,entry-\d+$/.test(line));
      expect(entries).toHaveLength(Math.min(total, 1_200));
      expect(lines.slice(entries.length)).toEqual(total > 1_200 ? [TRUNCATION_LINE] : []);
    },
  );

  it('ends with a truncation line when the last page was full', async () => {
    const lines = await exportLines(2_500, 2_000);
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toContain('Only the newest 2,000 entries');
  });
});
