import { addressBlock, normalizeAddress } from './client-address.js';

it.each([
  ['fe80::1%eth0', 'fe80::1', 'fe80::/64'],
  ['fe80::1%br-1a2b.3', 'fe80::1', 'fe80::/64'],
  ['[2001:DB8::1%eth0]:443', '2001:db8::1', '2001:db8::/64'],
  ['::ffff:203.0.113.7%eth0', '203.0.113.7', '203.0.113.7/32'],
  ['203.0.113.7:8080', '203.0.113.7', '203.0.113.7/32'],
])('RL-02: normalizes %s to %s, in the block %s', (text, address, block) => {
  expect(normalizeAddress(text)).toBe(address);
  expect(addressBlock(normalizeAddress(text)!)).toBe(block);
});

it('RL-02: returns null for any other string', () => {
  const others = [
    '',
    'unknown',
    '203.0.113.7%eth0',
    '%eth0',
    '::1.2.3',
    '[::1',
    '１.2.3.4',
    '1.2.3',
    '0x7f.0.0.1',
  ];
  expect(others.filter((text) => normalizeAddress(text) !== null)).toEqual([]);
});
