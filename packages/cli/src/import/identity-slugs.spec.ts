import { IdentitySlugs } from './identity-slugs.js';
import type { SourceRecord } from './source.js';

it('passes on the malformed identities of a file of Gatehouse', () => {
  const slugs = new IdentitySlugs(new Map([['google-oauth2', 'google']]), null, true);
  const resolve = (identities: unknown) => {
    const customer = { email: 'a', identities } as SourceRecord['customer'];
    return slugs.resolve({ position: '', sourceId: null, customer, leftOut: [] }).customer?.identities;
  };
  for (const malformed of [[null], ['text'], [{ subject: '1' }]]) expect(resolve(malformed)).toBe(malformed);
  expect(resolve([{ provider: 'google-oauth2', subject: '1', unknown: 2 }])).toEqual([
    { provider: 'google', subject: '1', unknown: 2 },
  ]);
});
