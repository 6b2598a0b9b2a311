import express from 'express';
import { loadConfig } from '@gatehouse/platform';

it('RL-02: express accepts every range of proxies that the configuration accepts', () => {
  const addresses: [address: string, bits: number][] = [
    ['10.1.2.3', 32],
    ['0.0.0.0', 32],
    ['2001:DB8::1', 128],
    ['::', 128],
    ['::ffff:a01:203', 128],
    ['64:ff9b::a01:203', 128],
  ];
  const ranges = addresses.flatMap(([address, bits]) =>
    Array.from({ length: bits }, (_, index) => `${address}/${index + 1}`),
  );
  const environment = { GATEHOUSE_SECRET: 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i' };
  const { trustedProxies } = loadConfig({ ...environment, TRUSTED_PROXIES: ranges.join(',') }).http;
  expect(trustedProxies).toEqual(ranges);
  expect(() => express().set('trust proxy', trustedProxies)).not.toThrow();
  for (const range of ['0.0.0.0/0', '::/0']) {
    expect(() => express().set('trust proxy', [range])).toThrow('invalid range');
    expect(() => loadConfig({ ...environment, TRUSTED_PROXIES: range })).toThrow('TRUSTED_PROXIES must not');
  }
});
