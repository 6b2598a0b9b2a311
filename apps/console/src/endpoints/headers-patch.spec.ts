import { headersPatch, toRows } from './headers-patch';

const before = { authorization: '…', 'x-team': '…' };
const added = { key: 9, name: ' x-new ', value: 'v', isStored: false };

describe('the headers that an edit sends', () => {
  it('are none while nobody touched them: a hidden value is never written back', () => {
    expect(headersPatch(toRows(before), before)).toBeUndefined();
  });

  it('are what is new, what is replaced, and null for what was removed', () => {
    const [kept] = toRows(before);
    expect(headersPatch([{ ...kept!, value: 'secret' }, added], before)).toEqual({
      authorization: 'secret',
      'x-team': null,
      'x-new': 'v',
    });
  });

  it('holds one that was removed and typed again with its new value', () => {
    expect(headersPatch([{ ...added, name: 'X-Team' }], { 'x-team': '…' })).toEqual({ 'x-team': 'v' });
  });
});
