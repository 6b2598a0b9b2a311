import type { OperatorRole } from './role.js';

/** How far an operator has come: invited ones have no password yet. */
export const operatorStatuses = ['invited', 'active', 'disabled'] as const;
export type OperatorStatus = (typeof operatorStatuses)[number];

/** One of the staff who look after the house. Never a customer, and never a key. */
export interface Operator {
  id: string;
  email: string;
  name: string | null;
  role: OperatorRole;
  status: OperatorStatus;
  /** Whether an authenticator is enrolled. */
  secondFactor: boolean;
  lastLoginAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * What a session of the console still lacks; only one that is `signed_in` opens other routes. Every step to the next
 * gives it a new value.
 */
export const operatorStages = ['second_factor', 'enrollment', 'signed_in'] as const;
export type OperatorStage = (typeof operatorStages)[number];

/**
 * Returns true if a signed-in session is accepted. Production requires a second factor: a session that was opened in
 * development without one must not survive the change (requirement CO-01).
 */
export const acceptsOperatorSession = (hasSecondFactor: boolean, production: boolean): boolean =>
  hasSecondFactor || !production;

/** Lives of a session of the console in seconds (requirement CO-01). */
export const operatorSessionTtl = { idle: 30 * 60, absolute: 12 * 3600, unfinished: 30 * 60 };

/** Life of a link that sets the house up or invites an operator, in seconds. */
export const operatorLinkTtl = { setup: 24 * 3600, invitation: 7 * 24 * 3600 };

/** Least length of an operator's password in code points; it guards every customer at once. */
export const OPERATOR_PASSWORD_MIN_LENGTH = 12;

/** How many recovery codes an operator is given, each of which replaces the authenticator once. */
export const RECOVERY_CODE_COUNT = 10;

/** The form in which recovery codes are compared: people type them with or without hyphens, in either case. */
export const canonicalRecoveryCode = (text: string): string => text.replace(/[\s-]/g, '').toLowerCase();
