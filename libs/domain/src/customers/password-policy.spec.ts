import { canonicalPassword, passwordWeaknesses, PASSWORD_MAX_LENGTH } from './password-policy.js';

const weaknesses = (password: string, changed: Partial<Parameters<typeof passwordWeaknesses>[1]> = {}) =>
  passwordWeaknesses(password, {
    minLength: 8,
    email: 'ada.lovelace@example.com',
    words: ['Analytical Engine', 'Babbage & Sons'],
    isCommon: (candidate) => candidate === 'password1',
    ...changed,
  });

describe('passwordWeaknesses', () => {
  it.each([
    ['letters only', 'correcthorse'],
    ['digits only', '73918264'],
    ['blanks inside', 'a b c d e'],
    ['nothing but blanks', '         '],
    ['emoji', '🦄🦄🦄🦄🦄🦄🦄🦄'],
    ['CJK', '正しい馬電池ホチキス'],
    ['a tab and a line feed', 'tab\tand\nline'],
    ['quotes and backslashes', `'";\\--<>&%$`],
  ])('PW-01: takes %s; there are no composition rules', (_, password) => {
    expect(weaknesses(password)).toEqual([]);
  });

  it('PW-01: counts code points, not UTF-16 units', () => {
    expect(weaknesses('🦄'.repeat(7))).toEqual(['too_short']);
    expect(weaknesses('🦄'.repeat(8))).toEqual([]);
    expect(weaknesses('🦄'.repeat(PASSWORD_MAX_LENGTH))).toEqual([]);
    expect(weaknesses('🦄'.repeat(PASSWORD_MAX_LENGTH + 1))).toEqual(['too_long']);
  });

  it('PW-01: counts the NFC form', () => {
    expect(canonicalPassword('e\u0301')).toBe('é');
    expect(weaknesses('e\u0301'.repeat(7))).toEqual(['too_short']);
    expect(weaknesses('e\u0301'.repeat(PASSWORD_MAX_LENGTH))).toEqual([]);
  });

  it('PW-01: takes 8 and 128 characters, refuses 7 and 129', () => {
    expect(weaknesses('x7'.repeat(4))).toEqual([]);
    expect(weaknesses('x7x7x7x')).toEqual(['too_short']);
    expect(weaknesses('x7'.repeat(64))).toEqual([]);
    expect(weaknesses(`${'x7'.repeat(64)}x`)).toEqual(['too_long']);
  });

  it("PW-01: the project's own minimum counts", () => {
    expect(weaknesses('correcthorse', { minLength: 13 })).toEqual(['too_short']);
    expect(weaknesses('correcthorse', { minLength: 12 })).toEqual([]);
  });

  it.each(['password1', 'PASSWORD1', 'PassWord1'])('PW-05: refuses the common %j in any case', (password) => {
    expect(weaknesses(password)).toEqual(['too_common']);
  });

  it.each([
    ['the e-mail', 'ada.lovelace@example.com'],
    ['the e-mail in capitals', 'ADA.LOVELACE@EXAMPLE.COM'],
    ['its local part', 'Ada.Lovelace'],
    ["the project's name", 'analytical engine'],
    ["the organization's name", 'BABBAGE & SONS'],
    ['its local part between blanks', '  ada.lovelace  '],
  ])('PW-05: refuses %s as a password', (_, password) => {
    expect(weaknesses(password)).toEqual(['contains_personal_data']);
  });

  it('PW-05: words are compared in NFC and without outer blanks', () => {
    expect(weaknesses('Café au lait', { words: ['Cafe\u0301 au lait'] })).toEqual(['contains_personal_data']);
    expect(weaknesses('Cafe au lait', { words: ['Cafe au lait '] })).toEqual(['contains_personal_data']);
  });

  it('PW-05: personal data inside a longer password is nobody’s business', () => {
    expect(weaknesses('ada.lovelace likes numbers')).toEqual([]);
  });

  it('names every reason at once', () => {
    expect(weaknesses('ada', { email: 'ada@example.com', isCommon: () => true })).toEqual([
      'too_short',
      'too_common',
      'contains_personal_data',
    ]);
  });
});
