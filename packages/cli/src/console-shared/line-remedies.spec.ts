import { explainLineError } from './line-remedies.js';

it.each([
  [
    'email',
    'invalid',
    'email must be an email address',
    'email must be an email address',
    /^Correct the value/,
  ],
  ['', 'too_long', 'The line is longer than 64 KiB.', 'The line is longer than 64 KiB', /^Correct the value/],
  [
    'identities.0.provider',
    'provider_not_found',
    'No provider',
    'No provider',
    /^Create the identity provider/,
  ],
  [
    'totpSecret',
    'invalid',
    'It is not base32. Send it in base32.',
    'It is not base32',
    /^Send it in base32$/,
  ],
  [
    'metadata.a. b',
    'too_long',
    'metadata.a. b does not fit. Shorten it.',
    'metadata.a. b does not fit',
    /^Shorten it$/,
  ],
])('explains %j with the code %s and the message %j', (field, code, message, reason, remedy) =>
  expect(explainLineError({ field, code, message })).toEqual({
    reason,
    remedy: expect.stringMatching(remedy) as string,
  }),
);
