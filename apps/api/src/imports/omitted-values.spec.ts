import { omittedValueWarning, limitWarnings } from './omitted-values.js';

describe('omittedValueWarning', () => {
  it.each([
    ['passwordHash', 'unknown_pepper', 'Append the old secret'],
    [
      'passwordHash',
      'fast_hash',
      'Ask the customer to reset the password, or import the customer again with update and allowFastHashes',
    ],
    ['passwordHash', 'invalid', 'Ask the customer to reset the password'],
    ['passkeys.3.rpId', 'not_allowed', 'Set passkeys.rpId'],
    ['identities.0.subject', 'repeated', 'No action is necessary'],
    ['metadata.id', 'inexact_integer', 'Write the number as a string'],
    ['metadata.bio', 'too_long', 'Shorten the metadata'],
    ['metadata.bio', 'invalid', 'Correct the value'],
    ['publicMetadata.bio', 'too_deep', 'Correct the value'],
  ])('adds the remedy for %s %s as a second sentence', (field, code, remedy) => {
    const { message } = omittedValueWarning({ field, code, message: `${field} is wrong` });
    expect(message.split('. ')).toEqual([`${field} is wrong`, expect.stringContaining(remedy)]);
    expect(message.endsWith('.')).toBe(true);
  });
});

describe('limitWarnings', () => {
  const create = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ field: `f${index}`, code: 'invalid', message: 'wrong' }));

  it('keeps 20 warnings', () => expect(limitWarnings(create(20))).toEqual(create(20)));

  it('counts further warnings in the last one', () => {
    const limited = limitWarnings(create(25));
    expect(limited).toHaveLength(20);
    expect(limited.slice(0, 19)).toEqual(create(19));
    expect(limited[19]).toMatchObject({ field: '', code: 'more_warnings' });
    expect(limited[19]!.message).toMatch(/^6 more values were left out\. /);
  });

  it('lists credentials before metadata', () => {
    const fields = [
      ...Array.from({ length: 32 }, (_, index) => `metadata.k${index}`),
      ...Array.from({ length: 15 }, (_, index) => `identities.${index}.subject`),
      ...['passkeys.0.publicKey', 'totpSecret', 'publicMetadata.k', 'passwordHash'],
    ];
    const limited = limitWarnings(fields.map((field) => ({ field, code: 'invalid', message: 'wrong' })));
    expect(limited.map(({ field }) => field)).toEqual([
      ...['totpSecret', 'passwordHash', ...fields.slice(32, 47), 'passkeys.0.publicKey', 'metadata.k0', ''],
    ]);
  });
});
