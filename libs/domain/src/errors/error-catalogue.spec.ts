import { errorCatalogue, type ErrorCode } from './error-catalogue.js';
import { GatehouseError, invalidField, notFound } from './gatehouse-error.js';

const entries = Object.entries(errorCatalogue);

/** Contract, section 2: the codes with their statuses, of everything that exists so far. */
const promised = {
  400: 'invalid_json validation_failed invalid_cursor multiple_credentials invalid_token',
  401: 'invalid_credentials invalid_refresh_token refresh_token_expired refresh_token_reused invalid_access_token invalid_api_key',
  403: 'customer_disabled email_not_verified wrong_credential_type insufficient_scope insufficient_access origin_not_allowed',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'email_already_registered delivery_pending already_redelivered endpoint_disabled endpoint_deleted slug_taken project_archived last_organization_key conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'weak_password',
  429: 'too_many_attempts rate_limited',
  431: 'headers_too_large',
  500: 'internal_error',
  501: 'billing_not_configured',
  503: 'overloaded unavailable billing_unavailable',
};

describe('the error catalogue', () => {
  it.each(entries)('LG-04: %s has a status of 4xx or 5xx, a title, a cause and a cure', (code, entry) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(Number.isInteger(entry.status) && entry.status >= 400 && entry.status <= 599).toBe(true);
    for (const text of [entry.title, entry.cause, entry.cure]) expect(text.trim()).not.toBe('');
    for (const sentence of [entry.cause, entry.cure]) expect(sentence).toMatch(/\.$/);
  });

  it.each(Object.entries(promised))(
    'LG-04: what the contract promises with %s has that status',
    (status, codes) => {
      for (const code of codes.split(' '))
        expect(errorCatalogue[code as ErrorCode].status).toBe(Number(status));
    },
  );

  it('LG-04: no two codes share a title', () => {
    expect(new Set(entries.map(([, { title }]) => title)).size).toBe(entries.length);
  });
});

describe('GatehouseError', () => {
  it('takes its status and its message from the catalogue', () => {
    const error = new GatehouseError('overloaded');
    expect(error).toMatchObject({
      name: 'GatehouseError',
      code: 'overloaded',
      status: 503,
      message: errorCatalogue.overloaded.title,
    });
  });

  it('keeps its cause inside', () => {
    const cause = new Error('connection to 10.0.0.5 refused');
    const error = new GatehouseError('unavailable', { detail: 'The service is starting.', cause });
    expect(error.cause).toBe(cause);
    expect(error.message).toBe('The service is starting.');
  });

  it('has short forms for one field and for what is not there', () => {
    expect(invalidField('email', 'invalid', 'must be an e-mail address')).toMatchObject({
      status: 400,
      code: 'validation_failed',
      details: { errors: [{ field: 'email', code: 'invalid', message: 'must be an e-mail address' }] },
    });
    expect(notFound()).toMatchObject({ status: 404, code: 'not_found' });
  });
});
