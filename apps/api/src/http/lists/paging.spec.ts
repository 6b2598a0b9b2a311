import { CursorCodec, Keyring } from '@gatehouse/platform';
import { readPage } from './paging.js';

const cursors = new CursorCodec(new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']));
const records = Array.from({ length: 5 }, (_, index) => ({
  id: `0199a1b2-c3d4-7e5f-8a6b-00000000000${9 - index}`,
}));

/** Reads newest first, as the repositories do. */
const read = async (before: string | null, limit: number) =>
  records.filter(({ id }) => before === null || id < before).slice(0, limit);

describe('readPage', () => {
  it('returns each record of a list once', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await readPage(cursors, 'list', { limit: 2, ...(cursor ? { cursor } : {}) }, read);
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(records.map(({ id }) => id));
  });

  it('does not return a next cursor when the last page is full or the list is empty', async () => {
    const page = await readPage(cursors, 'list', { limit: 5 }, read);
    expect(page).toEqual({ items: records, nextCursor: null });
    const limits: number[] = [];
    const empty = await readPage(cursors, 'list', {}, async (_, limit) => (limits.push(limit), []));
    expect(empty).toEqual({ items: [], nextCursor: null });
    // 50 by default, and one more to detect whether more records exist.
    expect(limits).toEqual([51]);
  });

  it("AK-10: rejects another tenant's cursor without reading any records", async () => {
    const { nextCursor } = await readPage(cursors, ['list', 'tenant a'], { limit: 2 }, read);
    let isRead = false;
    const watched = async () => {
      isRead = true;
      return [];
    };
    await expect(
      readPage(cursors, ['list', 'tenant b'], { cursor: nextCursor! }, watched),
    ).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect(isRead).toBe(false);
  });
});
