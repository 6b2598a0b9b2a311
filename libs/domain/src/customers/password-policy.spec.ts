import { passwordWeaknesses, PASSWORD_MAX_LENGTH } from './password-policy.js';

const weaknesses = (password: string, changed: Partial<Parameters<typeof passwordWeaknesses>[1]> = {}) =>
  passwordWeaknesses(password, {
    minLength: 8,
    hashing: 'peppered',
    email: 'ada.lovelace@example.com',
    forbiddenWords: ['Analytical Engine', 'Babbage & Sons'],
    isCommon: (candidate) => candidate === 'password1',
    ...changed,
  });

describe('passwordWeaknesses', () => {
  it.each([
    'correcthorse',
    '73918264',
    'a b c d e',
    '         ',
    '正しい馬電池ホチキス',
    'tab\tand\nline',
    `'";\\--<>&%$`,
  ])('PW-01: accepts %j, because there are no composition rules', (password) =>
    expect(weaknesses(password)).toEqual([]),
  );

  it('PW-01: requires 8 to 128 code points in NFC', () => {
    for (const character of ['x', '🦄', 'e\u0301']) {
      expect(weaknesses(character.repeat(7))).toEqual(['too_short']);
      expect(weaknesses(character.repeat(8))).toEqual([]);
      expect(weaknesses(character.repeat(128))).toEqual([]);
      expect(weaknesses(character.repeat(129))).toEqual(['too_long']);
    }
    expect(PASSWORD_MAX_LENGTH).toBe(128);
  });

  it('PW-06: rejects more than 72 bytes in NFC if hashes are portable', () => {
    for (const [character, count] of [
      ['x', 72],
      ['e\u0301', 36],
      ['漢', 24],
      ['🦄', 18],
    ] as const) {
      expect(weaknesses(character.repeat(count), { hashing: 'portable' })).toEqual([]);
      const longer = character.repeat(count + 1);
      expect(weaknesses(longer, { hashing: 'portable' })).toEqual(['too_many_bytes']);
      expect(weaknesses(longer)).toEqual([]);
    }
    expect(weaknesses('x'.repeat(129), { hashing: 'portable' })).toEqual(['too_many_bytes']);
  });

  it("PW-01: requires the project's own minimum", () => {
    expect(weaknesses('correcthorse', { minLength: 13 })).toEqual(['too_short']);
    expect(weaknesses('correcthorse', { minLength: 12 })).toEqual([]);
  });

  it('PW-05: rejects common passwords case-insensitively', () => {
    for (const password of ['password1', 'PASSWORD1', 'PassWord1'])
      expect(weaknesses(password)).toEqual(['too_common']);
  });

  it.each([
    ['the email', 'ada.lovelace@example.com'],
    ['the email in capitals', 'ADA.LOVELACE@EXAMPLE.COM'],
    ["the email's local part", 'Ada.Lovelace'],
    ["the project's name", 'analytical engine'],
    ["the organization's name", 'BABBAGE & SONS'],
    ["the email's local part between blanks", '  ada.lovelace  '],
  ])('PW-05: rejects %s as a password', (_, password) => {
    expect(weaknesses(password)).toEqual(['contains_personal_data']);
  });

  it('PW-05: compares the entire password in NFC without surrounding spaces', () => {
    expect(weaknesses('Café au lait', { forbiddenWords: ['Cafe\u0301 au lait'] })).toEqual([
      'contains_personal_data',
    ]);
    expect(weaknesses('Cafe au lait', { forbiddenWords: ['Cafe au lait '] })).toEqual([
      'contains_personal_data',
    ]);
    expect(weaknesses('ada.lovelace likes numbers')).toEqual([]);
  });

  it('returns all reasons at once', () => {
    expect(weaknesses('ada', { email: 'ada@example.com', isCommon: () => true })).toEqual([
      'too_short',
      'too_common',
      'contains_personal_data',
    ]);
  });
});
