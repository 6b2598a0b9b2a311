import type { EventType } from '../webhooks/event-types.js';
import type { AuditAction } from './audit-actions.js';

/** The actions that describe the same change of a customer as an event, if one transaction records both. */
const auditedAs: Partial<Record<EventType, AuditAction[]>> = {
  'customer.created': ['customer.created'],
  'customer.updated': ['customer.updated'],
  'customer.disabled': ['customer.disabled'],
  'customer.enabled': ['customer.enabled'],
  'customer.unlocked': ['customer.unlocked'],
  'session.revoked': ['customer.sessions_revoked'],
  'session.created': ['customer.sign_in_token_used'],
  'password.changed': ['customer.password_changed', 'customer.password_reset', 'customer.disowned'],
  'password.reset_completed': ['customer.password_reset'],
  'email.changed': ['customer.email_changed', 'customer.updated'],
  'factor.added': ['customer.factor_added'],
  'factor.removed': ['customer.factor_removed'],
  'recovery_codes.generated': ['customer.recovery_codes_generated'],
  'passkey.added': ['customer.passkey_added'],
  'passkey.removed': ['customer.passkey_removed'],
  'identity.linked': ['customer.identity_linked'],
  'identity.unlinked': ['customer.identity_unlinked'],
  'login.succeeded': ['customer.sign_in_token_used'],
};

/** Returns whether an audit log entry of the same transaction describes the same change as an event. */
export const isAuditedAs = (type: string, action: string): boolean =>
  (auditedAs[type as EventType] as string[] | undefined)?.includes(action) ?? false;
