import express from 'express';
import { loadConfig } from '@gatehouse/platform';

const loadRanges = (ranges: string): string[] =>
  loadConfig({ GATEHOUSE_SECRET: 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i', TRUSTED_PROXIES: ranges }).http
    .trustedProxies;

/** Returns true if express trusts all IPv4 addresses with these ranges. Throws if express rejects them. */
function trustsEveryClient(ranges: string[]): boolean {
  const isTrusted = express().set('trust proxy', ranges).get('trust proxy fn') as (
    address: string,
    hop: number,
  ) => boolean;
  return ['0.0.0.1', '127.255.255.254', '128.0.0.1', '255.255.255.254'].every((each) => isTrusted(each, 0));
}

const allRanges = ['10.1.2.3', '0.0.0.0', '2001:DB8::1', '::', '::ffff:a01:203', '64:ff9b::a01:203'].flatMap(
  (address) =>
    Array.from({ length: address.includes(':') ? 128 : 32 }, (_, index) => `${address}/${index + 1}`),
);

it('RL-02: rejects only the ranges that would make express trust every client', () => {
  const trusting = allRanges.filter((range) => trustsEveryClient([range]));
  expect(trusting).toEqual(['::ffff:a01:203/96']);
  for (const range of [...trusting, '0.0.0.0/0', '::/0'])
    expect(() => loadRanges(range)).toThrow('TRUSTED_PROXIES must not');
  const isHarmless = (range: string): boolean => !/^::ffff:.*\/(\d|[1-8]\d|9[0-6])$/.test(range);
  const accepted = allRanges.filter(isHarmless);
  expect(loadRanges(accepted.join(','))).toEqual(accepted);
});

it('RL-02: relies on express to reject a range of all addresses', () => {
  for (const range of ['0.0.0.0/0', '::/0'])
    expect(() => trustsEveryClient([range])).toThrow('invalid range');
});
