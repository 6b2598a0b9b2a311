import { readFile } from 'node:fs/promises';
import { GatehouseError } from '@gatehouse/js';
import { de } from '../localization/de.js';
import { en } from '../localization/en.js';
import { errorText, formErrors } from './error-text.js';

const error = (code: string, details = {}): GatehouseError => new GatehouseError(code, 'detail', details);

/** Problems with the page, its settings or its requests, which customers cannot resolve. */
const DEVELOPER_CODES = [
  'idempotency_in_progress',
  'idempotency_key_reused',
  'insufficient_scope',
  'internal_error',
  'invalid_api_key',
  'invalid_cursor',
  'invalid_json',
  'multiple_credentials',
  'origin_not_allowed',
  'payload_too_large',
  'request_timeout',
  'unsupported_media_type',
  'validation_failed',
  'wrong_credential_type',
];

/** Codes from refresh and sign-out, which the components do not show. */
const SESSION_CODES = [
  'invalid_access_token',
  'invalid_refresh_token',
  'refresh_token_expired',
  'refresh_token_reused',
];

/** Returns the error codes of all routes in docs/openapi.json whose path starts with a prefix. */
async function codesOf(prefix: string): Promise<string[]> {
  const { paths, components } = JSON.parse(
    await readFile(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
  );
  const operations = Object.entries<any>(paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([, methods]) => Object.values<any>(methods));
  const responses = operations.flatMap((operation) => Object.values<any>(operation.responses));
  const codes = responses.flatMap((response) => {
    const resolved = response.$ref ? components.responses[response.$ref.split('/').at(-1)] : response;
    return resolved.content?.['application/problem+json']?.schema.properties.code?.enum ?? [];
  });
  return [...new Set<string>(codes)];
}

describe('errorText', () => {
  it('has a message for each error that a customer can resolve', async () => {
    const ignored = [...DEVELOPER_CODES, ...SESSION_CODES];
    const codes = [
      ...(await codesOf('/api/v1/auth/')),
      ...(await codesOf('/api/v1/me')),
      'access_denied',
      'network_error',
      'timeout',
    ];
    expect(codes.length).toBeGreaterThan(30);
    const missing = codes.filter((code) => !ignored.includes(code) && !Object.hasOwn(en.errors, code));
    expect(missing).toEqual([]);
  });

  it.each([
    [1, '1 minute'],
    [61, '2 minutes'],
    [7_140, '119 minutes'],
    [7_141, '2 hours'],
  ])('shows a wait of %i seconds as %s', (retryAfter, wait) => {
    const text = errorText(en, error('too_many_attempts', { retryAfter }));
    expect(text).toBe(`Too many failed attempts. Try again in ${wait}.`);
  });

  it('lists the reasons for a weak password in the selected language', () => {
    const reasons = ['too_short', 'breached'];
    expect(errorText(de, error('weak_password', { reasons }))).toBe(
      `${de.reasons.too_short} ${de.reasons.breached}`,
    );
  });
});

describe('errorText for an unknown code', () => {
  it('returns a general message and reports the error', () => {
    const reported: unknown[] = [];
    globalThis.reportError = (each) => reported.push(each);
    const cause = error('validation_failed');
    expect(errorText(en, cause)).toBe(en.errors.unknown);
    expect(reported).toEqual([cause]);
  });
});

describe('formErrors', () => {
  it('assigns an error to its field', () => {
    expect(formErrors(en, error('invalid_code'), ['code'])).toEqual({
      fields: { code: en.errors.invalid_code },
    });
    const fields = [{ field: 'email', code: 'invalid', message: 'detail' }];
    expect(formErrors(en, error('validation_failed', { fields }), ['email', 'password'])).toEqual({
      fields: { email: en.errors.email_invalid },
    });
  });

  it('returns all other errors as a message for the form', () => {
    expect(formErrors(en, error('invalid_credentials'), ['email', 'password'])).toEqual({
      message: en.errors.invalid_credentials,
      fields: {},
    });
  });
});
