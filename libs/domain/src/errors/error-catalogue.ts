import type { ErrorEntry } from './error-entry.js';
import { operatorErrors } from './operator-errors.js';

/** Every error code that Gatehouse ever answers with (contract, section 2). Nothing else leaves the house. */
export const errorCatalogue = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    cause:
      'The body is missing, malformed, not UTF-8, not an object, nested deeper than 20 levels, or holds a NUL, a lone surrogate, a number outside the double range or a reserved key such as __proto__.',
    cure: 'Send one JSON object encoded as UTF-8 without a byte order mark.',
  },
  validation_failed: {
    status: 400,
    title: 'The input is not valid',
    cause: 'A field or query parameter is missing, unknown, repeated or out of range; errors[] names each.',
    cure: 'Correct the fields named in errors[].',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid',
    cause: 'The cursor was changed, or comes from another list, another filter or another credential.',
    cure: 'Start again without a cursor, or use nextCursor exactly as it was returned.',
  },
  multiple_credentials: {
    status: 400,
    title: 'More than one credential of a kind',
    cause: 'Two keys of one kind, or keys of two projects, came in one request.',
    cure: 'Send one key of each kind at most, all of one project.',
  },
  invalid_token: {
    status: 400,
    title: 'The token is not valid',
    cause: 'The one-time token is unknown, expired, replaced by a newer one or already used.',
    cure: 'Ask for a new e-mail or link and use that.',
  },
  invalid_credentials: {
    status: 401,
    title: 'E-mail or password is wrong',
    cause: 'No customer, or at the console no operator, matches this e-mail and password.',
    cure: 'Check both, or reset the password.',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'The refresh token is not valid',
    cause: 'The refresh token is unknown, or its session has ended.',
    cure: 'Log in again.',
  },
  refresh_token_expired: {
    status: 401,
    title: 'The refresh token has expired',
    cause: 'The session was idle for too long or reached its absolute end.',
    cure: 'Log in again.',
  },
  refresh_token_reused: {
    status: 401,
    title: 'The refresh token was used twice',
    cause: 'A spent refresh token was presented again, so its whole session has been revoked.',
    cure: 'Log in again; refresh from one place only and keep the newest token.',
  },
  invalid_access_token: {
    status: 401,
    title: 'The access token is not valid',
    cause: 'The access token is missing, malformed, expired, not ours, or its session has ended.',
    cure: 'Refresh, or log in again.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    cause: 'The API key is missing, malformed, unknown, revoked or expired.',
    cure: 'Send a live key in the header that the route documents.',
  },
  wrong_credential_type: {
    status: 403,
    title: 'This credential does not open this route',
    cause: 'The credential is valid but of another kind, or stands in the wrong header.',
    cure: 'Use the kind of credential and the header that the route documents.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The key lacks a scope',
    cause: 'The secret key does not carry every scope in requiredScopes.',
    cure: 'Create a key with these scopes.',
  },
  insufficient_access: {
    status: 403,
    title: 'The key does not reach that far',
    cause: 'The route needs a key with the access named in requiredAccess.',
    cure: 'Use an organization key.',
  },
  customer_disabled: {
    status: 403,
    title: 'The customer is disabled',
    cause: 'The password is right, but the customer has been disabled.',
    cure: 'Enable the customer with a secret key.',
  },
  email_not_verified: {
    status: 403,
    title: 'The e-mail address is not verified',
    cause: 'The password is right, but this project requires a verified address.',
    cure: 'Open the link in the verification e-mail, or have it sent again.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'This origin is not allowed',
    cause: "The page's origin is not in the project's allowedOrigins.",
    cure: 'Add the origin to the project settings.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    cause: 'There is no such route or object within the reach of this credential.',
    cure: 'Check the path and the id.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    cause: 'The path exists, but not with this method; Allow names the ones that do.',
    cure: 'Use a method from the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    cause:
      'Headers took over 10 s or the whole request over 30 s; of an import of lines, one line took that long.',
    cure: 'Send the request again.',
  },
  conflict: {
    status: 409,
    title: 'The change conflicts with another',
    cause:
      'The object changed at the same time, or is in a state that does not allow it, which detail names; or an import was sent again with other lines, or is gone on with elsewhere.',
    cure: 'Read the object and try again; a changed import is a new one, with another importId.',
  },
  email_already_registered: {
    status: 409,
    title: 'This e-mail is already registered',
    cause: 'A customer of this project has this e-mail address.',
    cure: 'Log in, or reset the password.',
  },
  external_id_taken: {
    status: 409,
    title: 'This external id is taken',
    cause: 'Another customer of this project has this externalId.',
    cure: 'Use another externalId, or change the customer who has it.',
  },
  slug_taken: {
    status: 409,
    title: 'This slug is taken',
    cause: 'Another organization, or another project of this organization, has this slug.',
    cure: 'Use another slug; a project may leave it out.',
  },
  project_archived: {
    status: 409,
    title: 'The project is archived',
    cause: 'An archived project takes no changes, no keys, no customers and no endpoints.',
    cure: 'Use another project.',
  },
  own_project: {
    status: 409,
    title: 'The key belongs to this project',
    cause: 'Archiving the project would stop the very key that asks for it.',
    cure: 'Archive it with a key of another project.',
  },
  last_organization_key: {
    status: 409,
    title: 'This is the last organization key',
    cause: 'Without it no live key with organization access would be left in its organization.',
    cure: 'Create another organization key first, in a project that stays.',
  },
  api_key_not_rotatable: {
    status: 409,
    title: 'The key cannot be rotated',
    cause: 'The key has been rotated already, was revoked or has expired.',
    cure: 'Rotate the key that replaced it, whose rotatedFrom names this one, or create a new key.',
  },
  delivery_pending: {
    status: 409,
    title: 'The delivery is still pending',
    cause: 'This delivery, or another of the same event to the same endpoint, is not finished.',
    cure: 'Wait until it has succeeded or failed.',
  },
  already_redelivered: {
    status: 409,
    title: 'The delivery has been redelivered',
    cause: 'Only the newest delivery of a chain can be redelivered; redeliveredAs names the next one.',
    cure: 'Follow redeliveredAs.',
  },
  endpoint_disabled: {
    status: 409,
    title: 'The endpoint is disabled',
    cause: 'Nothing is delivered to a disabled endpoint.',
    cure: 'Enable the endpoint first.',
  },
  too_many_endpoints: {
    status: 409,
    title: 'There are too many endpoints',
    cause:
      'A project has at most 50 webhook endpoints, and so many of organization level an organization has.',
    cure: 'Delete endpoints that are not used, or let one take the events of several.',
  },
  endpoint_deleted: {
    status: 409,
    title: 'The endpoint is deleted',
    cause: 'The endpoint of this delivery no longer exists.',
    cure: 'Create an endpoint and recover its events.',
  },
  payload_erased: {
    status: 409,
    title: 'The event has been erased',
    cause: 'The event was about a customer who has been deleted since, so there is nothing left to deliver.',
    cure: 'Nothing; the event customer.deleted tells that they are gone.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The request with this Idempotency-Key is still running',
    cause: 'An earlier request with the same key and body has not come to an end yet.',
    cure: 'Send it again in a few seconds.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    cause: 'Within the last 24 hours this key came with another body.',
    cure: 'Use a new key for a new request, and the same one only to send the same request again.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    cause: 'The body is larger than 64 KiB, or an import as one JSON body larger than 16 MiB.',
    cure: 'Send less in one request.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    cause:
      'The body is not application/json in UTF-8, or carries a Content-Encoding. Imports take application/x-ndjson too.',
    cure: 'Send Content-Type: application/json and no Content-Encoding.',
  },
  weak_password: {
    status: 422,
    title: 'The password is too weak',
    cause: 'The password does not meet the policy; reasons[] says why.',
    cure: 'Choose a longer or less common password.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many failed logins',
    cause: 'There were too many failed logins for this e-mail address.',
    cure: 'Wait for Retry-After seconds, or reset the password.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    cause: 'A rate limit was reached; RateLimit names it.',
    cure: 'Wait for Retry-After seconds.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    cause: 'The request headers are larger than 16 KiB.',
    cure: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    cause: 'An unexpected fault; it has been logged under requestId.',
    cure: 'Try again; if it stays, report the requestId.',
  },
  billing_not_configured: {
    status: 501,
    title: 'Billing is not set up',
    cause: 'No billing provider is configured, or it refuses the settings it has; detail names the setting.',
    cure: 'Set STRIPE_SECRET_KEY to a live key, and save the customer portal settings in the dashboard of Stripe.',
  },
  billing_unavailable: {
    status: 503,
    title: 'The billing provider is away',
    cause: 'The billing provider cannot be reached, did not answer in time, or is at fault itself.',
    cure: 'Try again after Retry-After seconds.',
  },
  overloaded: {
    status: 503,
    title: 'Password hashing is at capacity',
    cause: 'More passwords are waiting than can be checked in time.',
    cure: 'Try again after Retry-After seconds.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    cause: 'The database cannot be reached, or did not answer in time.',
    cure: 'Try again after Retry-After seconds.',
  },
  ...operatorErrors,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;
