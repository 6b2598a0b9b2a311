import { metadataPatch, parseMetadata } from './metadata-patch';

describe('metadataPatch', () => {
  it.each([
    ['no change', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, null],
    ['a new, a changed and a removed member', { a: 1, b: 2 }, { a: 3, c: 4 }, { a: 3, b: null, c: 4 }],
    ['nested members', { a: { b: 1, c: 2 } }, { a: { b: 1, d: 3 } }, { a: { c: null, d: 3 } }],
    ['a replaced list', { a: [1, 2] }, { a: [2] }, { a: [2] }],
    ['an object that is replaced by a string', { a: { b: 1 } }, { a: 'text' }, { a: 'text' }],
    ['an unchanged null', { a: null }, { a: null }, null],
  ])('returns the merge patch for %s', (_, before, after, patch) => {
    expect(metadataPatch(before, after)).toEqual(patch);
  });
});

describe('parseMetadata', () => {
  it.each([
    ['', {}],
    [' {"a": 1} ', { a: 1 }],
    ['[1]', null],
    ['null', null],
    ['{', null],
  ])('parses %j as an object, or returns null', (text, value) => expect(parseMetadata(text)).toEqual(value));
});
