import { parseSender } from './sender.js';

describe('parseSender', () => {
  it.each([
    ['no-reply@localhost', '', 'no-reply@localhost'],
    ['Shop <no-reply@example.com>', 'Shop', 'no-reply@example.com'],
    ['"Shop, Inc." <No-Reply@Example.com>', 'Shop, Inc.', 'No-Reply@example.com'],
    ['Zoë <zoe@bücher.example>', 'Zoë', 'zoe@xn--bcher-kva.example'],
  ])('takes %j apart', (text, name, address) => {
    expect(parseSender(text)).toEqual({ name, address });
  });

  it.each([
    '',
    'Shop',
    'Shop <no-reply>',
    'Shop <>',
    'a@example.com, b@example.com',
    'Shop <a@example.com> b@example.com',
    '"Shop <a@example.com>"',
    'shops: a@example.com;',
    'a@b@example.com',
    'Shop\r\nBcc: eve@example.com <a@example.com>',
    '"a b"@example.com',
    'zoë@example.com',
  ])('refuses %j', (text) => {
    expect(parseSender(text)).toBeNull();
  });
});
