import { redactSecrets } from './redact-secrets';

const secretKey = `sk_${'aB3'.repeat(17).slice(0, 49)}`;
const publishableKey = `pk_${secretKey.slice(3)}`;
const signingSecret = `whsec_${'a+/3'.repeat(10)}abc=`;

describe('CO-05: redactSecrets', () => {
  it.each([
    ['a secret key', secretKey, secretKey.slice(0, 8)],
    ['a publishable key', publishableKey, publishableKey.slice(0, 8)],
    ['a truncated key', secretKey.slice(0, -9), secretKey.slice(0, 8)],
    ['a line of a .env file', ` GATEHOUSE_KEY="${secretKey}"`, ` GATEHOUSE_KEY="${secretKey.slice(0, 8)}"`],
    ['a signing secret', signingSecret, 'whsec_'],
    ['a header', `Bearer ${secretKey} ${signingSecret}`, `Bearer ${secretKey.slice(0, 8)} whsec_`],
  ])('removes the secret part of %s', (_, text, redacted) => expect(redactSecrets(text)).toBe(redacted));

  it.each([
    '',
    'sk_',
    'sk_a1B2c',
    'whsec_',
    'ada@example.com',
    'task_0123456789012345678901234',
    'https://a.example/b',
  ])('does not change %j', (text) => expect(redactSecrets(text)).toBe(text));
});
