import { CursorCodec, Keyring } from '#platform';
import { camelList, readPage, snakeItem, snakeList } from './paging.js';

const cursors = new CursorCodec(new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']));
const records = Array.from({ length: 5 }, (_, index) => ({
  id: `0199a1b2-c3d4-7e5f-8a6b-00000000000${9 - index}`,
}));

/** Newest first, as the repositories read. */
const read = async (before: string | null, limit: number) =>
  records.filter(({ id }) => before === null || id < before).slice(0, limit);

describe('readPage', () => {
  it('walks a list to its end, each record once', async () => {
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

  it('says that there is no more when the last page is full', async () => {
    await expect(readPage(cursors, 'list', { limit: 5 }, read)).resolves.toEqual({
      items: records,
      nextCursor: null,
    });
  });

  it('of an empty list is empty', async () => {
    await expect(readPage(cursors, 'list', {}, async () => [])).resolves.toEqual({
      items: [],
      nextCursor: null,
    });
  });

  it('asks for 50 by default, and one more to see whether there is more', async () => {
    let asked = 0;
    await readPage(cursors, 'list', {}, async (_, limit) => {
      asked = limit;
      return [];
    });
    expect(asked).toBe(51);
  });

  it('AK-10: a foreign cursor reads nothing', async () => {
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

describe('the shapes of the two families', () => {
  it('are those of the contract', () => {
    expect(camelList([1], 'c')).toEqual({ data: [1], nextCursor: 'c', hasMore: true });
    expect(camelList([], null)).toEqual({ data: [], nextCursor: null, hasMore: false });
    expect(snakeList([1], 'c')).toEqual({ success: true, data: [1], next_cursor: 'c', has_more: true });
    expect(snakeList([], null)).toEqual({ success: true, data: [], next_cursor: null, has_more: false });
    expect(snakeItem({ id: 1 })).toEqual({ success: true, data: { id: 1 } });
  });
});
