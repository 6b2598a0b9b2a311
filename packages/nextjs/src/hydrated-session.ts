import type { AuthState } from '@gatehouse/js';
import type { ResolvedOptions } from './options.js';
import { readCookies } from './session-cookies.js';

/** The session data that is sent to the page. Contains no tokens. */
export interface HydratedSession {
  handlerPath: string;
  projectId: string;
  initialState: AuthState;
  /** Remaining lifetime of the access token in seconds. */
  expiresIn: number;
}

/**
 * Returns the session in a request's cookies, for display. It is not verified, so that pages keep working while
 * the public keys cannot be read. Do not use it to protect anything.
 */
export function hydratedSession(
  { handlerPath, projectId, now, ...options }: ResolvedOptions,
  headers: Headers,
): HydratedSession {
  const { claims, refreshToken, customer } = readCookies(options, headers);
  const expiresIn = claims ? Math.max(0, claims.exp - Math.floor(now() / 1_000)) : 0;
  const isActive = claims && customer && refreshToken;
  const initialState: AuthState = isActive
    ? { status: 'signed_in', customer, sessionId: claims.sid }
    : { status: 'signed_out', customer: null };
  return { handlerPath, projectId, initialState, expiresIn };
}
