import type { OperatorRole } from './role.js';

/** Maximum number of organizations to which an operator can be limited. */
export const MAX_OPERATOR_ORGANIZATIONS = 50;

/** The status of an operator. Invited operators have no password yet. */
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
  /** True if the operator has enrolled an authenticator. */
  secondFactor: boolean;
  lastLoginAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * The steps of a sign-in to the console. Only a session with the stage `signed_in` can access other routes.
 * Each step replaces the session's token.
 */
export const operatorStages = ['second_factor', 'enrollment', 'signed_in'] as const;
export type OperatorStage = (typeof operatorStages)[number];

/**
 * Returns true if a signed-in session is accepted. Production requires a second factor: a session that was
 * opened in development without one must not survive the change (requirement CO-01).
 */
export const acceptsOperatorSession = (hasSecondFactor: boolean, production: boolean): boolean =>
  hasSecondFactor || !production;

/**
 * Returns the name by which a browser is recognized: its user agent without version numbers, which change
 * with every update.
 */
export const browserName = (userAgent: string | null): string =>
  (userAgent ?? '').replace(/\d[\d._]*/g, '').trim();

/** Validity of a console session in seconds (requirement CO-01). */
export const operatorSessionTtl = { idle: 30 * 60, absolute: 12 * 3600, unfinished: 30 * 60 };

/** Time in seconds for which a proof of the second factor allows sensitive actions (requirement OP-01). */
export const REAUTHENTICATION_TTL = 5 * 60;

/** The codes that an operator can enter to reauthenticate. */
export const reauthenticationMethods = ['totp', 'recovery_code'] as const;

/** Validity of a link that a command prints, and of an operator invitation, in seconds. */
export const operatorLinkTtl = { command: 3600, invitation: 7 * 24 * 3600 };

/**
 * Minimum length of an operator's password in code points. It is longer than that of customers because it
 * protects all of them.
 */
export const OPERATOR_PASSWORD_MIN_LENGTH = 12;
