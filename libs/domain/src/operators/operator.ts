import { isRpId, type RelyingParty } from '../passkeys/relying-party.js';
import { parseValidUrl } from '../urls/parse-url.js';
import type { OperatorRole } from './role.js';

/** Maximum organizations to which an operator can be limited. */
export const MAX_OPERATOR_ORGANIZATIONS = 50;

/** An operator's status. Invited operators have neither a password nor an account at an OpenID Provider. */
export const operatorStatuses = ['invited', 'active', 'disabled'] as const;
export type OperatorStatus = (typeof operatorStatuses)[number];

/** A member of the operations staff. Never a customer, and never an API key. */
export interface Operator {
  id: string;
  email: string;
  name: string | null;
  role: OperatorRole;
  /** The organizations to which the operator is limited; null for the entire installation. Never empty. */
  organizationIds: string[] | null;
  status: OperatorStatus;
  /** True if the operator has an authenticator or a passkey. */
  secondFactor: boolean;
  /** True if the operator has signed in at the OpenID Provider. */
  singleSignOn: boolean;
  lastLoginAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * The steps in a sign-in to the console. Only a session with the stage `signed_in` can access other routes. Each step
 * replaces the session's token.
 */
export const operatorStages = ['second_factor', 'enrollment', 'signed_in'] as const;
export type OperatorStage = (typeof operatorStages)[number];

/**
 * The methods by which operators sign in: with a password and a second factor, or at an OpenID Provider, which verifies
 * both.
 */
export const operatorSignInMethods = ['password', 'oidc'] as const;
export type OperatorSignInMethod = (typeof operatorSignInMethods)[number];

/** A signed-in session, with the properties on which its acceptance depends. */
export interface OperatorSessionState {
  method: OperatorSignInMethod;
  hasSecondFactor: boolean;
  /** The OpenID Provider at which the operator has an account; null before the first sign-in there. */
  issuer: string | null;
}

/**
 * Returns true if a signed-in session is accepted. Production requires a second factor: a session that was opened in
 * development without one must not survive the change (requirement CO-01). Single sign-on sessions are rejected once
 * single sign-on is turned off or the provider changes.
 */
export const acceptsOperatorSession = (
  { method, hasSecondFactor, issuer }: OperatorSessionState,
  { production, operatorOidc }: { production: boolean; operatorOidc: { issuer: string } | null },
): boolean =>
  method === 'oidc'
    ? operatorOidc !== null && issuer === operatorOidc.issuer
    : hasSecondFactor || !production;

/**
 * Returns the name by which a browser is recognized: its user agent without version numbers, which change
 * with every update.
 */
export const browserName = (userAgent: string | null): string =>
  (userAgent ?? '').replace(/\d[\d._]*/g, '').trim();

/** Console session validity in seconds (requirement CO-01). */
export const operatorSessionTtl = { idle: 30 * 60, absolute: 12 * 3600, unfinished: 30 * 60 };

/** The seconds for which a second factor proof allows sensitive actions (requirement OP-01). */
export const REAUTHENTICATION_TTL = 5 * 60;

/** The second factors that operators can enroll. */
export const operatorFactors = ['totp', 'passkey'] as const;
export type OperatorFactor = (typeof operatorFactors)[number];

/** Returns the site to which operators' passkeys are bound: the host in `PUBLIC_URL`. Null for an IP address. */
export function operatorRelyingParty(publicUrl: string): RelyingParty | null {
  const { hostname, origin } = parseValidUrl(publicUrl);
  return isRpId(hostname) ? { id: hostname, name: `Gatehouse (${hostname})`, origins: [origin] } : null;
}

/** The methods with which an operator can reauthenticate, by sign-in method. */
export const reauthenticationMethods: Record<OperatorSignInMethod, readonly string[]> = {
  password: ['totp', 'passkey', 'recovery_code'],
  oidc: ['oidc'],
};

/** The validity in seconds for a link that a command prints, and for an operator invitation. */
export const operatorLinkTtl = { command: 3600, invitation: 7 * 24 * 3600 };

/**
 * Minimum length for an operator's password in code points. It is longer than the minimum for customers because it
 * protects all customers.
 */
export const OPERATOR_PASSWORD_MIN_LENGTH = 12;
