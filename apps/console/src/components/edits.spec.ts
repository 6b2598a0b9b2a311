import { changedFields, editedSince, savedChanges } from './edits';

interface Fields {
  name: string;
  origins: string[];
  color: string | null;
}

const base: Fields = { name: 'Shop', origins: ['https://a.example'], color: null };

describe('changedFields', () => {
  it('returns the edits that differ from the saved values', () =>
    expect(changedFields<Fields>({ name: 'The Shop', origins: ['https://a.example'] }, base)).toEqual({
      name: 'The Shop',
    }));
});

describe('savedChanges', () => {
  const saved = { ...base, name: 'Their shop', color: '#fff' };

  it('returns the fields that were saved in the meantime, with the edited values', () =>
    expect(savedChanges({ edits: { name: 'My shop' }, base }, saved)).toEqual([
      { field: 'name', before: 'Shop', saved: 'Their shop', edited: 'My shop' },
      { field: 'color', before: null, saved: '#fff', edited: undefined },
    ]));

  it('returns nothing if no edit would overwrite the saved values', () =>
    expect(
      [
        { edits: {}, base: null },
        { edits: { name: 'Their shop' }, base },
      ].map((state) => savedChanges<Fields>(state, saved)),
    ).toEqual([[], []]));
});

describe('editedSince', () => {
  const sent = { name: 'Shop', origins: ['https://a.example'] };

  it('returns no edits if nothing was changed during the save', () =>
    expect(editedSince<Fields>(sent, { ...sent })).toEqual({}));

  it('returns the edits that were changed or added during the save', () =>
    expect(editedSince<Fields>(sent, { ...sent, name: 'The Shop', color: '#fff' })).toEqual({
      name: 'The Shop',
      color: '#fff',
    }));
});
