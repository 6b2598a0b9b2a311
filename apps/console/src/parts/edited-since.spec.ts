import { editedSince } from './edited-since';

describe('what was edited while a form was saved', () => {
  const sent = { name: 'Shop', origins: ['https://a.example'] };

  it('is nothing, where nobody went on', () => expect(editedSince(sent, { ...sent })).toEqual({}));

  it('is what was changed further, back, or first', () =>
    expect(editedSince<object>(sent, { ...sent, name: 'The Shop', color: '#fff' })).toEqual({
      name: 'The Shop',
      color: '#fff',
    }));
});
