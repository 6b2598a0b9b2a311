import type { ErrorEntry } from './error-entry.js';
import { operatorErrors } from './operator-errors.js';
import { signInErrors } from './sign-in-errors.js';

/** All error codes that a response can contain (contract, section 2). */
export const errorCatalog = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    cause:
      'The body is missing, malformed, not UTF-8, not an object, or nested deeper than 20 levels, or it contains a NUL character, a lone surrogate, a reserved key such as __proto__, or an integer that a double-precision number cannot represent exactly.',
    remedy:
      'Send one JSON object encoded as UTF-8 without a byte order mark. Send large integers as strings. If the problem is such an integer, a NUL character or a lone surrogate, errors[] contains its field.',
  },
  validation_failed: {
    status: 400,
    title: 'The input is not valid',
    cause: 'A field or query parameter is missing, unknown, repeated or out of range.',
    remedy: 'Correct the fields that errors[] lists.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid',
    cause: 'The cursor was modified, or belongs to another list, filter or credential.',
    remedy: 'Start again without a cursor, or use nextCursor exactly as it was returned.',
  },
  multiple_credentials: {
    status: 400,
    title: 'More than one credential of the same type',
    cause: 'The request contains two keys of the same type, or keys of two projects.',
    remedy: 'Send at most one key of each type, all from the same project.',
  },
  invalid_token: {
    status: 400,
    title: 'The token is not valid',
    cause: 'The one-time token is unknown, expired, already used, or replaced by a newer one.',
    remedy: 'Request a new email and use the link in it.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    cause: 'The API key is missing, malformed, unknown, revoked or expired.',
    remedy: 'Send a valid key in the header that the route documents.',
  },
  wrong_credential_type: {
    status: 403,
    title: 'Wrong type of credential',
    cause: 'The credential is valid but of the wrong type, or in the wrong header.',
    remedy: 'Use the type of credential and the header that the route documents.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The key lacks a scope',
    cause: 'The secret key does not have all scopes in requiredScopes.',
    remedy: 'Use a key with these scopes.',
  },
  insufficient_access: {
    status: 403,
    title: 'The key does not have the required access',
    cause: 'The route or the requested change requires a key with organization access.',
    remedy: 'Use an organization key.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The origin is not allowed',
    cause:
      "The page's origin is not in the project's allowedOrigins, or a form on a hosted page was submitted from an origin other than PUBLIC_URL.",
    remedy: 'Add the origin to the project settings. Open hosted pages at PUBLIC_URL.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    cause: 'The route or object does not exist, or is not accessible with this credential.',
    remedy: 'Check the path and the id.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path does not support this method. The Allow header lists the supported methods.',
    remedy: 'Use a method from the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    cause:
      'The headers took more than 10 s to arrive, the entire request took more than 30 s, or a single line of an application/x-ndjson import took more than 30 s.',
    remedy: 'Send the request again.',
  },
  conflict: {
    status: 409,
    title: 'The change conflicts with the current state',
    cause:
      'The object was changed at the same time, or its state does not allow the change. For an import: it was repeated with different lines, or another request is processing it. For a setting: an API process on an older version is still running and would ignore it. `detail` contains the reason.',
    remedy: 'Get the object and retry. Send a changed import with a new importId.',
  },
  email_already_registered: {
    status: 409,
    title: 'The email is already registered',
    cause: 'A customer of this project has this email address.',
    remedy: 'Sign in, or reset the password.',
  },
  external_id_taken: {
    status: 409,
    title: 'The external id is taken',
    cause: 'Another customer of this project has this externalId.',
    remedy: 'Use another externalId, or change the other customer.',
  },
  slug_taken: {
    status: 409,
    title: 'The slug is taken',
    cause: 'Another organization, or another project of this organization, has this slug.',
    remedy: 'Use another slug. For a project, the slug can be omitted.',
  },
  project_archived: {
    status: 409,
    title: 'The project is archived',
    cause: 'An archived project cannot be changed, and accepts no new keys, customers or endpoints.',
    remedy: 'Use another project.',
  },
  own_project: {
    status: 409,
    title: 'The key belongs to this project',
    cause: 'Archiving the project would revoke the key of this request.',
    remedy: 'Archive the project with a key from another project.',
  },
  last_organization_key: {
    status: 409,
    title: 'This is the last organization key',
    cause: 'No active key with organization access would be left in the organization.',
    remedy: 'Create another organization key first, in a project that is not archived.',
  },
  api_key_not_rotatable: {
    status: 409,
    title: 'The key cannot be rotated',
    cause: 'The key has already been rotated or revoked, or it has expired.',
    remedy:
      'Rotate the key that replaced it (its rotatedFrom contains the id of this key), or create a new key.',
  },
  delivery_pending: {
    status: 409,
    title: 'The delivery is still pending',
    cause: 'This delivery, or another delivery of the same event to the same endpoint, is not finished.',
    remedy: 'Wait until this delivery has finished.',
  },
  already_redelivered: {
    status: 409,
    title: 'The delivery has already been redelivered',
    cause:
      'Only the newest delivery in a chain can be redelivered. redeliveredAs contains the id of the next delivery.',
    remedy: 'Redeliver the newest delivery in the chain instead.',
  },
  endpoint_disabled: {
    status: 409,
    title: 'The endpoint is disabled',
    cause: 'Disabled endpoints receive no deliveries.',
    remedy: 'Enable the endpoint first, or redeliver with `enable_endpoint: true`.',
  },
  too_many_endpoints: {
    status: 409,
    title: 'Too many endpoints',
    cause:
      'A project can have at most 50 webhook endpoints, and an organization at most 50 at organization level.',
    remedy:
      'Delete unused endpoints, or replace several endpoints with one that subscribes to all their events.',
  },
  endpoint_deleted: {
    status: 409,
    title: 'The endpoint is deleted',
    cause: 'The endpoint of this delivery no longer exists.',
    remedy: 'Create an endpoint and recover its events.',
  },
  payload_erased: {
    status: 409,
    title: 'The event has been erased',
    cause: 'The event belongs to a customer who has been deleted, so its content no longer exists.',
    remedy: 'No action is needed. The event customer.deleted reports the deletion.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    cause: 'An earlier request with the same key and body has not finished.',
    remedy: 'Retry in a few seconds.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    cause: 'This key was used with a different body or API key within the last 24 hours.',
    remedy: 'Use a new key for each new request, and the same key only to retry a request.',
  },
  precondition_failed: {
    status: 412,
    title: 'The object has changed',
    cause:
      'The object no longer matches the ETag in the If-Match header, because it was changed in the meantime.',
    remedy: 'Get the object, decide whether the change still applies, and send it with the new ETag.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    cause: 'The body is larger than 64 KiB, or an import in one JSON body is larger than 16 MiB.',
    remedy: 'Send less data per request.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    cause:
      'The body is not application/json in UTF-8, or has a Content-Encoding. Imports also accept application/x-ndjson.',
    remedy: 'Send Content-Type: application/json and no Content-Encoding.',
  },
  weak_password: {
    status: 422,
    title: 'The password is too weak',
    cause: 'The password does not meet the policy. reasons[] lists the reasons.',
    remedy: 'Choose a password that meets the policy, such as a longer or less common one.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many failed sign-ins',
    cause:
      'Too many sign-ins for this email address have failed. `limit` contains the name of the limit that was reached. By default, the wait is 15 minutes at first, and up to 24 hours after further failures.',
    remedy: 'Wait for the number of seconds in Retry-After, or reset the password.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    cause: 'A rate limit was reached. `limit` and the RateLimit header contain its name.',
    remedy: 'Wait for the number of seconds in Retry-After, then retry.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    cause: 'The request headers are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    cause: 'An unexpected error occurred. The log contains the error with the requestId.',
    remedy: 'Retry. If the error persists, report the requestId.',
  },
  billing_not_configured: {
    status: 501,
    title: 'Billing is not configured',
    cause:
      'No billing provider is configured, or the provider rejected the configuration. `detail` contains the setting.',
    remedy:
      'Set STRIPE_SECRET_KEY to an active key, and save the customer portal settings in the Stripe dashboard.',
  },
  billing_unavailable: {
    status: 503,
    title: 'The billing provider is unavailable',
    cause: 'The billing provider cannot be reached, did not respond in time, or returned an error.',
    remedy: 'Wait for the number of seconds in Retry-After, then retry.',
  },
  overloaded: {
    status: 503,
    title: 'The server is at capacity',
    cause:
      'Too many passwords are waiting to be checked, or other requests use the memory that this request needs.',
    remedy: 'Wait for the number of seconds in Retry-After, then retry.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    cause: 'The database cannot be reached, or did not respond in time.',
    remedy: 'Wait for the number of seconds in Retry-After, then retry.',
  },
  ...signInErrors,
  ...operatorErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalog;
