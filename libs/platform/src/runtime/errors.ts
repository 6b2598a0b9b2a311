import { types } from 'node:util';

/**
 * Returns whether an error has this Node.js `code`. Does not use `instanceof Error`, which fails for errors from
 * another realm.
 */
export const isNodeError = (error: unknown, code: string): boolean => errorCode(error) === code;

/** Returns the `code` of an error from Node.js, pg or axios, or "" if it has none. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Returns the message of a thrown value, which does not have to be an Error. */
export const errorMessage = (error: unknown): string =>
  types.isNativeError(error) || error instanceof Error ? error.message : String(error);
