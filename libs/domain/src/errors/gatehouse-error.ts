import { errorCatalog, type ErrorCode } from './error-catalog.js';

/** One faulty input field. `field` is a path such as `password` or `events[0]`. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

export interface ErrorDetails {
  /** A sentence about this very case, safe to show to the caller. */
  detail?: string;
  errors?: FieldError[];
  /** Further documented members of the problem document, such as `requiredScopes`. */
  members?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Kept inside for the log; never leaves the house. */
  cause?: unknown;
  /** Whom the request turned out to be about; for the log as well. */
  subject?: { projectId: string; customerId: string } | { operatorId: string };
}

/** The one error class: a code of the closed catalogue, and what is known about this case. */
export class GatehouseError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
  ) {
    super(details.detail ?? errorCatalog[code].title, { cause: details.cause });
    this.name = 'GatehouseError';
    this.status = errorCatalog[code].status;
  }
}

/** 400 `validation_failed` for a single field. */
export const invalidField = (field: string, code: string, message: string): GatehouseError =>
  new GatehouseError('validation_failed', { errors: [{ field, code, message }] });

/** 404 `not_found`: the same for an object that does not exist and for one out of reach. */
export const notFound = (): GatehouseError => new GatehouseError('not_found');

/** 403 `insufficient_scope`. */
export const insufficientScope = (requiredScopes: string[]): GatehouseError =>
  new GatehouseError('insufficient_scope', {
    detail: `The secret key needs ${requiredScopes.join(', ')}. Use a key with all scopes in requiredScopes.`,
    members: { requiredScopes },
  });

/** 503 `unavailable`, to be tried again after a second. */
export const unavailable = (details: Pick<ErrorDetails, 'detail' | 'cause'> = {}): GatehouseError =>
  new GatehouseError('unavailable', { ...details, headers: { 'Retry-After': '1' } });
