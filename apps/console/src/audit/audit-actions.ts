import type { Schemas } from '../http/client';

export type AuditEntry = Schemas['NamedAuditEntryResponse'];

type Action = AuditEntry['action'];

/** All actions of the audit log. A missing action is a compile error. */
const actions: Record<Action, true> & Record<string, true> = {
  'organization.created': true,
  'organization.updated': true,
  'organization.billing_portal_opened': true,
  'project.created': true,
  'project.updated': true,
  'project.archived': true,
  'project.exported': true,
  'project.mail_template_updated': true,
  'project.mail_template_deleted': true,
  'identity_provider.created': true,
  'identity_provider.updated': true,
  'identity_provider.deleted': true,
  'identity_provider.tested': true,
  'identity_provider.domain_checked': true,
  'identity_provider.domain_lapsed': true,
  'api_key.created': true,
  'api_key.rotated': true,
  'api_key.revoked': true,
  'api_key.scopes_added': true,
  'customer.created': true,
  'customer.updated': true,
  'customer.disabled': true,
  'customer.enabled': true,
  'customer.unlocked': true,
  'customer.deleted': true,
  'customer.exported': true,
  'customer.sessions_revoked': true,
  'customer.sign_in_token_created': true,
  'customer.sign_in_token_used': true,
  'customer.reauthentication_required': true,
  'customer.factor_added': true,
  'customer.factor_removed': true,
  'customer.passkey_added': true,
  'customer.passkey_removed': true,
  'customer.identity_linked': true,
  'customer.identity_unlinked': true,
  'customer.recovery_codes_generated': true,
  'customer.password_changed': true,
  'customer.password_reset': true,
  'customer.disowned': true,
  'customer.email_changed': true,
  'customer.verification_sent': true,
  'customer.password_reset_sent': true,
  'customer.invitation_sent': true,
  'import.started': true,
  'import.weak_hashes_found': true,
  'webhook_endpoint.created': true,
  'webhook_endpoint.updated': true,
  'webhook_endpoint.enabled': true,
  'webhook_endpoint.disabled': true,
  'webhook_endpoint.secret_rotated': true,
  'webhook_endpoint.tested': true,
  'webhook_endpoint.deleted': true,
  'webhook_endpoint.recovered': true,
  'webhook_delivery.redelivered': true,
  'webhook_delivery.discarded': true,
  'webhook_delivery.replayed': true,
  'webhook_redelivery.planned': true,
  'webhook_redelivery.started': true,
  'webhook_redelivery.cancelled': true,
  'signing_key.rotated': true,
  'operator.created': true,
  'operator.invited': true,
  'operator.invitation_accepted': true,
  'operator.updated': true,
  'operator.disabled': true,
  'operator.enabled': true,
  'operator.second_factor_enrolled': true,
  'operator.second_factor_reset': true,
  'operator.passkey_added': true,
  'operator.passkey_renamed': true,
  'operator.passkey_removed': true,
  'operator.recovery_codes_renewed': true,
  'operator.password_changed': true,
  'operator.single_sign_on_linked': true,
  'operator.sessions_revoked': true,
  'operator.customers_exported': true,
  'operator.password_failed': true,
  'operator.code_failed': true,
  'operator.signed_in': true,
  'operator.reauthenticated': true,
  'operator.signed_out': true,
  'mail.tested': true,
  'alert.tested': true,
};

const resourceOf = (action: string): string => action.split('.', 1)[0]!;

const actionNames = Object.keys(actions);

/**
 * Options of the action filter. The actions of each resource follow an option for all of them, which the API
 * accepts as `<resource>.*`.
 */
export const actionOptions: Record<string, string> = Object.fromEntries(
  [...new Set(actionNames.map(resourceOf))].flatMap((resource) => {
    const resourceActions = actionNames.filter((action) => resourceOf(action) === resource);
    const group = resourceActions.length > 1 ? [`${resource}.*`] : [];
    return [...group, ...resourceActions].map((name) => [name, name]);
  }),
);

export const actorTypes: Record<AuditEntry['actorType'], string> = {
  operator: 'Operators',
  key: 'Secret keys',
  customer: 'Customers',
  support: 'Support',
  system: 'System',
};

export const targetTypes: Record<AuditEntry['targetType'], string> & Record<string, string> = {
  organization: 'Organization',
  project: 'Project',
  api_key: 'API key',
  customer: 'Customer',
  import: 'Import',
  webhook_endpoint: 'Endpoint',
  webhook_delivery: 'Delivery',
  webhook_redelivery: 'Batch',
  signing_key: 'Signing key',
  operator: 'Operator',
  mail: 'Email',
  alert: 'Alert',
  identity_provider: 'Identity provider',
};

const screenPaths: Partial<Record<string, string>> = {
  organization: 'organizations',
  project: 'projects',
  customer: 'customers',
  webhook_endpoint: 'endpoints',
  webhook_delivery: 'deliveries',
  webhook_redelivery: 'batches',
};

/** The types of targets that have a name while they exist. */
const namedTypes = [
  'organization',
  'project',
  'api_key',
  'customer',
  'webhook_endpoint',
  'operator',
  'identity_provider',
];

/** Returns whether the target of an entry no longer exists. */
export const isDeletedTarget = ({ targetType, targetName }: AuditEntry): boolean =>
  targetName === null && namedTypes.includes(targetType);

/** Returns the path of the screen of the target, or null if it has no screen. */
export function targetPath({ targetType, targetId, projectId }: AuditEntry): string | null {
  if (targetType === 'api_key') return projectId && `/projects/${projectId}/keys/${targetId}`;
  if (targetType === 'identity_provider')
    return projectId && `/projects/${projectId}/identity-providers/${targetId}`;
  const screen = screenPaths[targetType];
  return screen ? `/${screen}/${targetId}` : null;
}
