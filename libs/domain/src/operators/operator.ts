import { isRpId, type RelyingParty } from '../passkeys/relying-party.js';
import { parseValidUrl } from '../urls/parse-url.js';
import type { OperatorRole } from './role.js';

/** Maximum number of organizations to which an operator can be limited. */
export const MAX_OPERATOR_ORGANIZATIONS = 50;

/** An operator's status. An invited operator has neither a password nor an account with an OpenID Provider. */
export const operatorStatuses = ['invited', 'active', 'disabled'] as const;
export type OperatorStatus = (typeof operatorStatuses)[number];

/** An operations staff member, who signs in to the console. Never a customer or an API key. */
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
  /** True if the operator has signed in with the OpenID Provider. */
  singleSignOn: boolean;
  lastLoginAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * The console sign-in stages. Until a session reaches `signed_in`, it can access only the sign-in routes. Each stage
 * replaces the session token.
 */
export const operatorStages = ['second_factor', 'enrollment', 'signed_in'] as const;
export type OperatorStage = (typeof operatorStages)[number];

/** The operator sign-in methods: a password and a second factor, or an OpenID Provider, which verifies both. */
export const operatorSignInMethods = ['password', 'oidc'] as const;
export type OperatorSignInMethod = (typeof operatorSignInMethods)[number];

/** The properties of a signed-in session that determine whether it is accepted. */
export interface OperatorSessionState {
  method: OperatorSignInMethod;
  hasSecondFactor: boolean;
  /** The issuer of the operator's single sign-on account; null before the first sign-in with it. */
  issuer: string | null;
}

/**
 * Returns whether a signed-in session is accepted. Production requires a second factor, so a session that was created
 * in development without one must not remain valid after the switch to production (requirement CO-01). Single sign-on
 * sessions are rejected once single sign-on is turned off or the provider changes.
 */
export const acceptsOperatorSession = (
  { method, hasSecondFactor, issuer }: OperatorSessionState,
  { production, operatorOidc }: { production: boolean; operatorOidc: { issuer: string } | null },
): boolean =>
  method === 'oidc'
    ? operatorOidc !== null && issuer === operatorOidc.issuer
    : hasSecondFactor || !production;

/**
 * Returns the name that identifies a browser: its user agent without version numbers, which change with every update.
 */
export const browserName = (userAgent: string | null): string =>
  (userAgent ?? '').replace(/\d[\d._]*/g, '').trim();

/** Console session validity in seconds (requirement CO-01). */
export const operatorSessionTtl = { idle: 30 * 60, absolute: 12 * 3600, unfinished: 30 * 60 };

/** Seconds after a verified second factor during which sensitive actions are allowed (requirement OP-01). */
export const REAUTHENTICATION_TTL = 5 * 60;

/** The second factors that operators can enroll. */
export const operatorFactors = ['totp', 'passkey'] as const;
export type OperatorFactor = (typeof operatorFactors)[number];

/** Returns the relying party for operator passkeys: the host of `PUBLIC_URL`. Null if it is an IP address. */
export function operatorRelyingParty(publicUrl: string): RelyingParty | null {
  const { hostname, origin } = parseValidUrl(publicUrl);
  return isRpId(hostname) ? { id: hostname, name: `Gatehouse (${hostname})`, origins: [origin] } : null;
}

/** The methods with which an operator can reauthenticate, by sign-in method. */
export const reauthenticationMethods: Record<OperatorSignInMethod, readonly string[]> = {
  password: ['totp', 'passkey', 'recovery_code'],
  oidc: ['oidc'],
};

/** The validity in seconds of a link that a command prints, and of an operator invitation. */
export const operatorLinkTtl = { command: 3600, invitation: 7 * 24 * 3600 };

/**
 * Minimum operator password length in code points. It exceeds the minimum for customers because an operator has access
 * to all customers.
 */
export const OPERATOR_PASSWORD_MIN_LENGTH = 12;
