import { mergePatch } from './merge-patch.js';

describe('a merge patch', () => {
  // The examples of RFC 7396, appendix A, whose target and patch are objects.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j and %j make %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it('puts an object in the place of what is none, without its nulls', () => {
    expect(mergePatch({ a: [1, 2] }, { a: { b: 1, c: null } })).toEqual({ a: { b: 1 } });
  });

  it('keeps nulls inside of lists', () => {
    expect(mergePatch({}, { a: [null, { b: null }] })).toEqual({ a: [null, { b: null }] });
  });

  it('takes names of inherited methods for names', () => {
    expect(mergePatch({ hasOwnProperty: 1 }, { toString: { a: 1 }, valueOf: null })).toEqual({
      hasOwnProperty: 1,
      toString: { a: 1 },
    });
  });

  it('changes neither the target nor the patch', () => {
    const target = { a: { b: 1 } };
    const patch = { a: { c: { d: 2 } } };
    const merged = mergePatch(target, patch);
    expect([target, patch]).toEqual([{ a: { b: 1 } }, { a: { c: { d: 2 } } }]);
    expect(merged).toEqual({ a: { b: 1, c: { d: 2 } } });
  });
});
