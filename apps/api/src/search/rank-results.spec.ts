import type { SearchResult } from '@gatehouse/persistence';
import { rankResults } from './rank-results.js';

const result = (title: string, subtitle = ''): SearchResult => ({
  kind: 'project',
  id: title,
  title,
  subtitle,
  projectId: null,
});

it('ranks exact matches before prefixes, and word prefixes before other matches', () => {
  const inside = result('The workshop');
  const exact = result('SHOP', 'Acme · shop-2');
  const slug = result('Store', 'Acme · shop');
  const word = result('My shop', 'Acme · my');
  const prefix = result('Shopping', 'Acme');
  const results = rankResults('shop', [inside, word, prefix, slug, exact]);
  expect(results).toEqual([slug, exact, word, prefix, inside]);
});
