import { canonicalEmail } from './email.js';

describe('canonicalEmail (EV-06)', () => {
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
    ['ada@xn--mnchen-3ya.de', 'ada@xn--mnchen-3ya.de'],
    ['ada@localhost', 'ada@localhost'],
  ])('EV-06: %j becomes %j', (input, canonical) => {
    expect(canonicalEmail(input)).toBe(canonical);
  });

  it('EV-06: the canonical form is a fixed point', () => {
    for (const input of ['ADA@Example.com', 'ada@münchen.de', ' a+b@EXAMPLE.org ']) {
      const once = canonicalEmail(input)!;
      expect(canonicalEmail(once)).toBe(once);
    }
  });

  it.each([
    ['nothing', ''],
    ['no @', 'ada.example.com'],
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['two addresses', 'ada@example.com,eve@example.com'],
    ['two addresses by semicolon', 'ada@example.com;eve@example.com'],
    ['an address inside an address', 'ada@example.com@eve.example'],
    ['a display name', 'Ada <ada@example.com>'],
    ['angle brackets', '<ada@example.com>'],
    ['a quoted local part', '"ada"@example.com'],
    ['a quoted local part that hides a second address', '"eve@evil.example,"@example.com'],
    ['a comment', 'ada(comment)@example.com'],
    ['a backslash', 'a\\da@example.com'],
    ['a blank in the local part', 'ad a@example.com'],
    ['a blank in the domain', 'ada@exa mple.com'],
    ['CR LF in the local part', 'ada\r\nBcc: eve@example.com'],
    ['NUL in the local part', 'ada\0@example.com'],
    ['NUL in the domain', 'ada@example.com\0'],
    ['DEL', 'ada\u007f@example.com'],
    ['a right-to-left override', 'ada\u202e@example.com'],
    ['a zero-width joiner', 'a\u200dda@example.com'],
    ['a non-ASCII local part', 'ädä@example.com'],
    ['a dotless i', 'gıthub@example.com'],
    ['a long s', 'ſam@example.com'],
    ['a full-width letter', 'ａda@example.com'],
    ['a Cyrillic homoglyph', 'аda@example.com'],
    ['a leading dot', '.ada@example.com'],
    ['a trailing dot', 'ada.@example.com'],
    ['two dots', 'a..da@example.com'],
    ['a domain that starts with a dot', 'ada@.example.com'],
    ['two dots in the domain', 'ada@example..com'],
    ['a root dot', 'ada@example.com.'],
    ['a domain label that starts with a hyphen', 'ada@-example.com'],
    ['a domain label that ends with a hyphen', 'ada@example-.com'],
    ['an underscore in the domain', 'ada@exa_mple.com'],
    ['a domain literal', 'ada@[127.0.0.1]'],
    ['an IPv6 domain literal', 'ada@[IPv6:::1]'],
    ['bad punycode', 'ada@xn--a'],
    ['a port', 'ada@example.com:25'],
    ['a lone surrogate', '\ud800@example.com'],
    ['a path behind the domain', 'ada@example.com/x'],
    ['a query behind the domain', 'ada@example.com?x'],
    ['a fragment behind the domain', 'ada@example.com#x'],
    ['a backslash behind the domain', 'ada@example.com\\x'],
    ['percent-encoding in the domain', 'ada@ex%61mple.com'],
    ['a line feed in the domain', 'ada@exam\nple.com'],
    ['a tab in the domain', 'ada@exam\tple.com'],
    ['an IPv4 address', 'ada@127.0.0.1'],
    ['a short IPv4 address', 'ada@127.1'],
    ['a hexadecimal IPv4 address', 'ada@0x7f000001'],
    ['a Kelvin sign, which NFC turns into K', '\u212ada@example.com'],
    ['a Greek varia, which NFC turns into a backtick', 'ada\u1fef@example.com'],
  ])('EV-06: refuses %s', (_, input) => {
    expect(canonicalEmail(input)).toBeNull();
  });

  it('EV-06: takes 64 characters of local part and 254 in all, and no more', () => {
    const domain = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(57)}.com`;
    const longest = `${'l'.repeat(64)}@${domain}`;
    expect(longest).toHaveLength(254);
    expect(canonicalEmail(longest)).toBe(longest);
    expect(canonicalEmail(`${'l'.repeat(64)}@d${domain}`)).toBeNull();
    expect(canonicalEmail(`${'l'.repeat(65)}@example.com`)).toBeNull();
    expect(canonicalEmail(`ada@${'d'.repeat(64)}.com`)).toBeNull();
  });

  it('EV-06: a hostile length is refused without effort', () => {
    expect(canonicalEmail(`${'a.'.repeat(500_000)}@example.com`)).toBeNull();
    expect(canonicalEmail(`${'@'.repeat(500_000)}`)).toBeNull();
  });
});
