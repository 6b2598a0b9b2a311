import { parseSender } from './sender.js';

it.each([
  ['no-reply@localhost', '', 'no-reply@localhost'],
  ['Shop <no-reply@example.com>', 'Shop', 'no-reply@example.com'],
  ['"Shop, Inc." <No-Reply@Example.com>', 'Shop, Inc.', 'No-Reply@example.com'],
  ['Zoë <zoe@bücher.example>', 'Zoë', 'zoe@xn--bcher-kva.example'],
])('parses %j', (text, name, address) => {
  expect(parseSender(text)).toEqual({ name, address });
});

it('returns null for a string without exactly one valid address', () => {
  const none = ['', 'Shop', 'Shop <no-reply>', 'Shop <>', '"Shop <a@example.com>"'];
  const several = [
    'a@example.com, b@example.com',
    'Shop <a@example.com> b@example.com',
    'shops: a@example.com;',
  ];
  const invalid = ['a@b@example.com', 'Shop\r\nBcc: eve@example.com <a@example.com>', '"a b"@example.com'];
  const texts = [...none, ...several, ...invalid, 'zoë@example.com'];
  expect(texts.filter((text) => parseSender(text) !== null)).toEqual([]);
});
