import { types } from 'node:util';
import { errorCode, errorMessage } from '../runtime/errors.js';

/**
 * Thrown if a request fails, with the cause's `code`. It replaces the axios error, which contains the headers and the
 * request's body.
 */
export class OutboundRequestError extends Error {
  readonly code: string;

  constructor(failure: unknown) {
    super(errorMessage(failure), types.isNativeError(failure) ? { cause: failure.cause } : undefined);
    this.code = errorCode(failure);
  }
}
