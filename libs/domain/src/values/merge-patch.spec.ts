import { mergePatch } from './merge-patch.js';

// The examples of RFC 7396, appendix A, whose target and patch are objects, followed by lists and inherited names.
it.each<[object, object, object]>([
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
  [{ a: [1, 2] }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
  [{}, { a: [null, { b: null }] }, { a: [null, { b: null }] }],
  [{ hasOwnProperty: 1 }, { toString: { a: 1 }, valueOf: null }, { hasOwnProperty: 1, toString: { a: 1 } }],
  [{ a: { b: 1 } }, { a: { c: { d: 2 } } }, { a: { b: 1, c: { d: 2 } } }],
])('merges %j with %j into %j without modifying either argument', (target, patch, result) => {
  const before = JSON.stringify([target, patch]);
  expect(mergePatch(target as never, patch as never)).toEqual(result);
  expect(JSON.stringify([target, patch])).toBe(before);
});
