import { parseSearchTerm } from './search-term.js';

const id = '019aa2c0-7d1e-7000-8000-000000000000';
const url = 'https://app.example.com/Hooks?x=a@b.c';

it.each([
  [`dlv_${id}`, { kind: 'delivery', id }],
  [`att_${id}`, { kind: 'attempt', id }],
  [`evt_${id}`, { kind: 'event', id }],
  [`ep_${id}`, { kind: 'endpoint', id }],
  [`rdl_${id}`, { kind: 'redelivery', id }],
  [id, { kind: 'uuid', id }],
  [` DLV_${id.toUpperCase()}\t`, { kind: 'delivery', id }],
  ['Ada@Example.com', { kind: 'email', email: 'ada@example.com' }],
  [url, { kind: 'url', prefix: url }],
  ['http://', { kind: 'url', prefix: 'http://' }],
])('returns the object to which %s refers', (text, named) => expect(parseSearchTerm(text)).toEqual(named));

it('returns null for any other string', () => {
  const ids = ['dlv_', `dlv_${id}0`, `cus_${id}`, id.slice(1)];
  const texts = [...ids, '', 'ada', 'ada@', 'ftp://x', 'javascript:1', '%', "' OR 1=1"];
  expect(texts.filter((text) => parseSearchTerm(text) !== null)).toEqual([]);
});
