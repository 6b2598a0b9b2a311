/** The type of the object of an audit log entry. */
export type AuditTargetType =
  | 'organization'
  | 'project'
  | 'api_key'
  | 'customer'
  | 'import'
  | 'webhook_endpoint'
  | 'webhook_delivery'
  | 'webhook_redelivery'
  | 'signing_key'
  | 'operator'
  | 'mail'
  | 'alert'
  | 'identity_provider';

/**
 * All actions of the audit log, with the type of their target. Logins and token refreshes of customers,
 * including failed ones, are events instead.
 */
export const auditActions = {
  'organization.created': 'organization',
  'organization.updated': 'organization',
  'organization.billing_portal_opened': 'organization',
  'project.created': 'project',
  'project.updated': 'project',
  'project.archived': 'project',
  'project.exported': 'project',
  'project.mail_template_updated': 'project',
  'project.mail_template_deleted': 'project',
  'identity_provider.created': 'identity_provider',
  'identity_provider.updated': 'identity_provider',
  'identity_provider.deleted': 'identity_provider',
  'identity_provider.tested': 'identity_provider',
  'identity_provider.domain_checked': 'identity_provider',
  'identity_provider.domain_lapsed': 'identity_provider',
  'api_key.created': 'api_key',
  'api_key.rotated': 'api_key',
  'api_key.revoked': 'api_key',
  'api_key.scopes_added': 'api_key',
  'customer.created': 'customer',
  'customer.updated': 'customer',
  'customer.disabled': 'customer',
  'customer.enabled': 'customer',
  'customer.unlocked': 'customer',
  'customer.deleted': 'customer',
  'customer.exported': 'customer',
  'customer.sessions_revoked': 'customer',
  'customer.sign_in_token_created': 'customer',
  'customer.sign_in_token_used': 'customer',
  'customer.reauthentication_required': 'customer',
  'customer.factor_added': 'customer',
  'customer.factor_removed': 'customer',
  'customer.passkey_added': 'customer',
  'customer.passkey_removed': 'customer',
  'customer.identity_linked': 'customer',
  'customer.identity_unlinked': 'customer',
  'customer.recovery_codes_generated': 'customer',
  'customer.password_changed': 'customer',
  'customer.password_reset': 'customer',
  'customer.disowned': 'customer',
  'customer.email_changed': 'customer',
  'customer.verification_sent': 'customer',
  'customer.password_reset_sent': 'customer',
  'customer.invitation_sent': 'customer',
  'import.started': 'import',
  'import.weak_hashes_found': 'import',
  'webhook_endpoint.created': 'webhook_endpoint',
  'webhook_endpoint.updated': 'webhook_endpoint',
  'webhook_endpoint.enabled': 'webhook_endpoint',
  'webhook_endpoint.disabled': 'webhook_endpoint',
  'webhook_endpoint.secret_rotated': 'webhook_endpoint',
  'webhook_endpoint.tested': 'webhook_endpoint',
  'webhook_endpoint.deleted': 'webhook_endpoint',
  'webhook_endpoint.recovered': 'webhook_endpoint',
  'webhook_delivery.redelivered': 'webhook_delivery',
  'webhook_delivery.discarded': 'webhook_delivery',
  'webhook_delivery.replayed': 'webhook_delivery',
  'webhook_redelivery.planned': 'webhook_redelivery',
  'webhook_redelivery.started': 'webhook_redelivery',
  'webhook_redelivery.cancelled': 'webhook_redelivery',
  'signing_key.rotated': 'signing_key',
  'operator.created': 'operator',
  'operator.invited': 'operator',
  'operator.invitation_accepted': 'operator',
  'operator.updated': 'operator',
  'operator.disabled': 'operator',
  'operator.enabled': 'operator',
  'operator.second_factor_enrolled': 'operator',
  'operator.second_factor_reset': 'operator',
  'operator.passkey_added': 'operator',
  'operator.passkey_renamed': 'operator',
  'operator.passkey_removed': 'operator',
  'operator.recovery_codes_renewed': 'operator',
  'operator.password_changed': 'operator',
  'operator.single_sign_on_linked': 'operator',
  'operator.sessions_revoked': 'operator',
  'operator.customers_exported': 'operator',
  'operator.password_failed': 'operator',
  'operator.code_failed': 'operator',
  'operator.signed_in': 'operator',
  'operator.reauthenticated': 'operator',
  'operator.signed_out': 'operator',
  'mail.tested': 'mail',
  'alert.tested': 'alert',
} as const satisfies Record<string, AuditTargetType>;

export type AuditAction = keyof typeof auditActions;

export const auditTargetTypes = [...new Set(Object.values(auditActions))] as const;

/**
 * The types of actors: a server with a secret key, an operator, a customer, support in a session of a sign-in token, or
 * Gatehouse itself.
 */
export const auditActorTypes = ['key', 'operator', 'customer', 'support', 'system'] as const;
export type AuditActorType = (typeof auditActorTypes)[number];

/**
 * The actor of an action. Gatehouse itself has no id. Support has the id of the key that created the sign-in token, and
 * null in a session that an earlier version has opened.
 */
export type AuditActor =
  | { type: Exclude<AuditActorType, 'support' | 'system'>; id: string }
  | { type: 'support'; id: string | null }
  | { type: 'system'; id: null };

/**
 * Returns the actions that match a filter: a single action, all actions of a noun for `customer.*`, or none
 * for any other text.
 */
export function matchingAuditActions(filter: string): AuditAction[] {
  const actions = Object.keys(auditActions) as AuditAction[];
  const noun = /^([a-z_]+\.)\*$/.exec(filter)?.[1];
  return actions.filter((action) => (noun ? action.startsWith(noun) : action === filter));
}
