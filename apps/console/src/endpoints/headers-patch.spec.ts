import { headersPatch, toRows } from './headers-patch';

const before = { authorization: '…', 'x-team': '…' };
const added = { key: 9, name: ' x-new ', value: 'v', isStored: false };

describe('headersPatch', () => {
  it('returns undefined if no header was changed, so that a hidden value is never overwritten', () => {
    expect(headersPatch(toRows(before), before)).toBeUndefined();
  });

  it('returns new values, replaced values and null for removed headers', () => {
    const [stored] = toRows(before);
    expect(headersPatch([{ ...stored!, value: 'secret' }, added], before)).toEqual({
      authorization: 'secret',
      'x-team': null,
      'x-new': 'v',
    });
  });

  it('returns the new value for a header that was removed and added again', () => {
    expect(headersPatch([{ ...added, name: 'X-Team' }], { 'x-team': '…' })).toEqual({ 'x-team': 'v' });
  });
});
