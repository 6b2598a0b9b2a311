import { errorCatalog, type ErrorCode } from './error-catalog.js';

/** An error in an input field. `field` is a path such as `password` or `events[0]`. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

export interface ErrorDetails {
  /** A sentence about this occurrence, safe to show to the caller. */
  detail?: string;
  /** Replaces the code's status. */
  status?: 401;
  errors?: FieldError[];
  /** Further documented members in the problem document, such as `requiredScopes`. */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** For the log only; never in a response. */
  cause?: unknown;
  /** The customer or operator whom the request concerns. For the log only. */
  subject?: { projectId: string; customerId: string } | { operatorId: string };
}

/** An error with a code from the error catalog and details about this occurrence. */
export class GatehouseError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
  ) {
    super(details.detail ?? errorCatalog[code].title, { cause: details.cause });
    this.name = 'GatehouseError';
    this.status = details.status ?? errorCatalog[code].status;
  }
}

/** Returns whether an error is a GatehouseError with one of the codes. */
export const hasErrorCode = (error: unknown, ...codes: ErrorCode[]): error is GatehouseError =>
  error instanceof GatehouseError && codes.includes(error.code);

/** Creates a 400 `validation_failed` with one invalid field. */
export const invalidField = (field: string, code: string, message: string): GatehouseError =>
  new GatehouseError('validation_failed', { errors: [{ field, code, message }] });

/**
 * Creates a 404 `not_found`. The error is the same whether the object does not exist or is inaccessible to the caller.
 */
export const notFound = (): GatehouseError => new GatehouseError('not_found');

/** Creates a 403 `insufficient_scope`. */
export const insufficientScope = (requiredScopes: string[]): GatehouseError =>
  new GatehouseError('insufficient_scope', {
    detail: `The secret key needs ${requiredScopes.join(', ')}. Use a key with all scopes in requiredScopes.`,
    members: { requiredScopes },
  });

/** Creates a 503 `unavailable` that can be retried after a second. */
export const unavailable = (details: Pick<ErrorDetails, 'detail' | 'cause'> = {}): GatehouseError =>
  new GatehouseError('unavailable', { ...details, headers: { 'Retry-After': '1' } });
