import { errorCatalog, type ErrorCode } from './error-catalog.js';
import { GatehouseError } from './gatehouse-error.js';

const entries = Object.entries(errorCatalog);

/** The codes of the implemented features, by status (contract, section 2). */
const documentedCodes = {
  400: 'invalid_json validation_failed invalid_cursor multiple_credentials invalid_token',
  401: 'invalid_credentials invalid_refresh_token refresh_token_expired refresh_token_reused invalid_access_token invalid_api_key',
  403: 'method_not_enabled sign_up_not_allowed customer_disabled email_not_verified wrong_credential_type insufficient_scope insufficient_access origin_not_allowed',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'email_already_registered delivery_pending already_redelivered endpoint_disabled endpoint_deleted slug_taken project_archived last_organization_key conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'weak_password',
  429: 'too_many_attempts rate_limited',
  431: 'headers_too_large',
  500: 'internal_error',
  501: 'billing_not_configured',
  503: 'overloaded unavailable billing_unavailable',
};

describe('the error catalog', () => {
  it('LG-04: gives each code a 4xx or 5xx status, a unique title, a cause and a remedy', () => {
    for (const [code, { status, title, cause, remedy }] of entries) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(Number.isInteger(status) && status >= 400 && status <= 599).toBe(true);
      expect(title.trim()).not.toBe('');
      for (const sentence of [cause, remedy]) expect(sentence).toMatch(/\S.*\.$/);
    }
    expect(new Set(entries.map(([, { title }]) => title)).size).toBe(entries.length);
  });

  it('LG-04: contains the codes of the contract with their statuses', () => {
    const expected = Object.entries(documentedCodes).flatMap(([status, codes]) =>
      codes.split(' ').map((code) => [code, Number(status)]),
    );
    expect(expected.map(([code]) => [code, errorCatalog[code as ErrorCode]?.status])).toEqual(expected);
  });

  it('preserves the cause of an error, with its detail or its title as the message', () => {
    const cause = new Error('connection to 10.0.0.5 refused');
    const error = new GatehouseError('unavailable', { detail: 'The service is starting.', cause });
    expect([error.cause, error.message]).toEqual([cause, 'The service is starting.']);
    expect(new GatehouseError('unavailable').message).toBe(errorCatalog.unavailable.title);
  });
});
