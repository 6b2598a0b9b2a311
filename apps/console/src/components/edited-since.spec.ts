import { editedSince } from './edited-since';

describe('editedSince', () => {
  const sent = { name: 'Shop', origins: ['https://a.example'] };

  it('returns no edits if nothing was changed during the save', () =>
    expect(editedSince(sent, { ...sent })).toEqual({}));

  it('returns the edits that were changed or added during the save', () =>
    expect(editedSince<object>(sent, { ...sent, name: 'The Shop', color: '#fff' })).toEqual({
      name: 'The Shop',
      color: '#fff',
    }));
});
