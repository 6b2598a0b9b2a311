import { entityTag } from './entity-tag.js';
import { Precondition } from './precondition.js';

const resource = { id: '1', settings: { locale: 'de', origins: ['a', 'b'] }, updatedAt: '2026-01-01' };
const tag = entityTag(resource);

const resultOf = (header: string | undefined): string => {
  try {
    Precondition.parse(header).assert(resource);
    return 'applied';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

it('computes the entity tag from every field, regardless of the field order', () => {
  const { id, updatedAt } = resource;
  expect(entityTag({ updatedAt, settings: { origins: ['a', 'b'], locale: 'de' }, id })).toBe(tag);
  const others = [
    { ...resource, updatedAt: '2026-01-02' },
    { ...resource, settings: { locale: 'de', origins: ['b', 'a'] } },
    { ...resource, settings: { locale: null, origins: ['a', 'b'] } },
    { ...resource, name: null },
  ];
  expect(new Set([tag, ...others.map((each) => entityTag(each))]).size).toBe(5);
  expect(tag).toMatch(/^"[\w-]{43}"$/);
});

it.each<[result: string, headers: (string | undefined)[]]>([
  [
    'applied',
    [undefined, '*', tag, `"other", ${tag}`, `${tag},"other"`, ` , ,${tag} ,\t,`, `W/"a,b" , ${tag}`],
  ],
  [
    'precondition_failed',
    ['"other"', '""', `W/${tag}`, `"other", W/${tag}`, '"*"', '"\xe9"', `"${tag.slice(1, -1)},"`, `"a","b"`],
  ],
  [
    'validation_failed',
    [
      ...[
        '',
        ' ',
        ',',
        tag.slice(1, -1),
        tag.slice(1),
        tag.slice(0, -1),
        `'${tag.slice(1, -1)}'`,
        `*, ${tag}`,
      ],
      ...[
        `${tag} ${tag}`,
        `${tag}${tag}`,
        `w/${tag}`,
        `W/ ${tag}`,
        `${tag};q=1`,
        '"a b"',
        '**',
        `"a"b"`,
        '"\u0100"',
      ],
      `${'"a",'.repeat(5_000)}b`,
    ],
  ],
])('compares If-Match headers with the entity tag: %s', (result, headers) => {
  expect(headers.filter((header) => resultOf(header) !== result)).toEqual([]);
});
