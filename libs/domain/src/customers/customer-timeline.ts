import type { AuditAction } from '../audit/audit-actions.js';
import type { EventType } from '../webhooks/event-types.js';

/**
 * The kinds of entries in the timeline of a customer. `webhook` selects the events that were sent to endpoints,
 * whatever their type.
 */
export const timelineKinds = ['sign_in', 'session', 'account', 'security', 'mail', 'webhook'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

const kindsOfEvents: Partial<Record<string, TimelineKind>> = {
  'login.succeeded': 'sign_in',
  'login.failed': 'sign_in',
  'customer.locked': 'sign_in',
  'customer.unlocked': 'sign_in',
  'recovery_codes.used': 'sign_in',
  'passkey.counter_anomaly': 'sign_in',
  'session.revoked': 'session',
  'token.reuse_detected': 'session',
  'customer.created': 'account',
  'customer.updated': 'account',
  'customer.disabled': 'account',
  'customer.enabled': 'account',
  'verification.completed': 'account',
  'email.changed': 'account',
  'password.changed': 'security',
  'password.reset_completed': 'security',
  'factor.added': 'security',
  'factor.removed': 'security',
  'recovery_codes.generated': 'security',
  'passkey.added': 'security',
  'passkey.removed': 'security',
  'identity.linked': 'security',
  'identity.unlinked': 'security',
} satisfies Partial<Record<EventType, TimelineKind>>;

const kindsOfActions: Partial<Record<string, TimelineKind>> = {
  'customer.created': 'account',
  'customer.updated': 'account',
  'customer.disabled': 'account',
  'customer.enabled': 'account',
  'customer.exported': 'account',
  'customer.disowned': 'account',
  'customer.email_changed': 'account',
  'customer.unlocked': 'sign_in',
  'customer.sign_in_token_created': 'sign_in',
  'customer.sign_in_token_used': 'sign_in',
  'customer.reauthentication_required': 'sign_in',
  'customer.sessions_revoked': 'session',
  'customer.factor_added': 'security',
  'customer.factor_removed': 'security',
  'customer.passkey_added': 'security',
  'customer.passkey_removed': 'security',
  'customer.identity_linked': 'security',
  'customer.identity_unlinked': 'security',
  'customer.recovery_codes_generated': 'security',
  'customer.password_changed': 'security',
  'customer.password_reset': 'security',
  'customer.verification_sent': 'mail',
  'customer.password_reset_sent': 'mail',
  'customer.invitation_sent': 'mail',
} satisfies Record<Exclude<Extract<AuditAction, `customer.${string}`>, 'customer.deleted'>, TimelineKind>;

/**
 * Returns the kind of an event in the timeline, or null if another entry describes the same change: the sign-in or the
 * registration describes `session.created`, and the email describes a requested email.
 */
export const eventKind = (type: string): TimelineKind | null => kindsOfEvents[type] ?? null;

/** Returns the kind of an audit log entry in the timeline. */
export const actionKind = (action: string): TimelineKind => kindsOfActions[action] ?? 'account';

/** Returns the event types that are entries of these kinds. */
export const timelineEventTypes = (kinds: readonly TimelineKind[]): string[] =>
  namesOfKinds(kindsOfEvents, kinds);

/** Returns the actions of the audit log that are entries of these kinds. */
export const timelineActions = (kinds: readonly TimelineKind[]): string[] =>
  namesOfKinds(kindsOfActions, kinds);

const namesOfKinds = (all: Partial<Record<string, TimelineKind>>, kinds: readonly TimelineKind[]): string[] =>
  Object.keys(all).filter((name) => kinds.includes(all[name]!));
