import { splitWords } from '../../../../test/support/split-words.js';
import { canonicalEmail, mailboxOf } from './email.js';

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['  ada@example.com\n', 'ada@example.com'],
  ['\u00a0ada@example.com\ufeff', 'ada@example.com'],
  ['Ada.LOVELACE@Example.COM', 'ada.lovelace@example.com'],
  ["o'brien+news@example.com", "o'brien+news@example.com"],
  ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
  ['ada@münchen.de', 'ada@xn--mnchen-3ya.de'],
  ['ada@MU\u0308NCHEN.de', 'ada@xn--mnchen-3ya.de'],
  ['ada@例え.jp', 'ada@xn--r8jz45g.jp'],
  ['ada@STRA\u1e9eE.de', 'ada@xn--strae-oqa.de'],
  ['ada@XN--STRAE-OQA.de', 'ada@xn--strae-oqa.de'],
  ['ada@localhost', 'ada@localhost'],
  ['Ada..B@docomo.ne.jp', 'ada..b@docomo.ne.jp'],
  ['ada.@docomo.ne.jp', 'ada.@docomo.ne.jp'],
])('EV-06: canonicalizes %j as %j, and leaves a canonical address unchanged', (input, canonical) => {
  expect(canonicalEmail(input)).toBe(canonical);
  expect(canonicalEmail(canonical)).toBe(canonical);
});

const domains = (list: string[]): string[] => list.map((domain) => `ada@${domain}`);
it.each<[string, string[]]>([
  ['an incomplete address', ['', 'ada.example.com', '@example.com', 'ada@']],
  [
    'more than one address',
    splitWords('ada@example.com,eve@example.com ada@example.com;eve@example.com ada@example.com@eve.example'),
  ],
  ['a display name', ['Ada <ada@example.com>', '<ada@example.com>']],
  [
    'quotes, comments and backslashes',
    splitWords(`"ada"@example.com "eve@evil.example,"@example.com
    ada(comment)@example.com a\\da@example.com`),
  ],
  ['whitespace', ['ad a@example.com', ...domains(['exa mple.com', 'exam\nple.com', 'exam\tple.com'])]],
  [
    'control characters',
    [
      'ada\r\nBcc: eve@example.com',
      ...['\0', '\u007f', '\u202e'].map((control) => `ada${control}@example.com`),
    ],
  ],
  ['a NUL in the domain', ['ada@example.com\0']],
  [
    'other letters in the local part',
    splitWords('ädä@example.com gıthub@example.com ſam@example.com ａda@example.com'),
  ],
  ['homoglyphs', ['аda@example.com', 'a\u200dda@example.com', '\ud800@example.com']],
  [
    'a Kelvin sign and a Greek varia, which NFC turns into ASCII',
    ['\u212ada@example.com', 'ada\u1fef@example.com'],
  ],
  [
    'misplaced dots',
    ['.ada@example.com', '.@example.com', ...domains(splitWords('.example.com example..com example.com.'))],
  ],
  ['bad labels', domains(splitWords('-example.com example-.com exa_mple.com ex%61mple.com'))],
  ['invalid encoded labels', domains(splitWords('xn--a xn--0 xn-- xn--zzzzzz99999 www.xn--a.example'))],
  ['labels with mixed text directions', domains(['aא.com', 'a\u061d.com'])],
  [
    'IP addresses as the host',
    domains(splitWords('[127.0.0.1] [IPv6:::1] 127.0.0.1 127.1 0x7f000001 example.0x7f')),
  ],
  [
    'a port, path, query or fragment',
    domains(['example.com:25', 'example.com/x', 'example.com?x', 'example.com#x', 'example.com\\x']),
  ],
])('EV-06: rejects %s', (_, inputs) =>
  expect(inputs.filter((input) => canonicalEmail(input) !== null)).toEqual([]),
);

it('EV-06: accepts 64 characters before the @ and 254 in total, and rejects hostile lengths fast', () => {
  const domain = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(57)}.com`;
  const longest = `${'l'.repeat(64)}@${domain}`;
  expect(longest).toHaveLength(254);
  expect(canonicalEmail(longest)).toBe(longest);
  const tooLong = [
    `${'l'.repeat(64)}@d${domain}`,
    `${'l'.repeat(65)}@example.com`,
    `ada@${'d'.repeat(64)}.com`,
  ];
  const hostile = [`${'a.'.repeat(500_000)}@example.com`, '@'.repeat(500_000)];
  expect([...tooLong, ...hostile].map(canonicalEmail)).toEqual(Array(5).fill(null));
});

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['ada+news@example.com', 'ada@example.com'],
  ['ada+news+more@example.com', 'ada@example.com'],
  ['+news@example.com', '+news@example.com'],
  ['ada.lovelace+news@example.com', 'ada.lovelace@example.com'],
  ['a.d.a+news@gmail.com', 'ada@gmail.com'],
  ['ada@googlemail.com', 'ada@gmail.com'],
])('MQ-02: reduces %s to the mailbox %s', (email, mailbox) => expect(mailboxOf(email)).toBe(mailbox));
