import { types } from 'node:util';

/** Whether the error comes from Node with this `code`. `instanceof Error` is no help across realms. */
export const isNodeError = (error: unknown, code: string): boolean => errorCode(error) === code;

/** The `code` of an error of Node, pg or axios, or "". */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** The message of whatever was thrown. */
export const errorMessage = (error: unknown): string =>
  types.isNativeError(error) || error instanceof Error ? error.message : String(error);
