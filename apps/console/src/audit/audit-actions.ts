import type { Schemas } from '../http/client';

export type AuditEntry = Schemas['NamedAuditEntryResponse'];

type Action = AuditEntry['action'];

/** Every action of the log; one that is missing here does not compile. */
const actions: Record<Action, true> & Record<string, true> = {
  'organization.created': true,
  'organization.updated': true,
  'organization.billing_portal_opened': true,
  'project.created': true,
  'project.updated': true,
  'project.archived': true,
  'project.exported': true,
  'api_key.created': true,
  'api_key.rotated': true,
  'api_key.revoked': true,
  'customer.created': true,
  'customer.updated': true,
  'customer.disabled': true,
  'customer.enabled': true,
  'customer.unlocked': true,
  'customer.deleted': true,
  'customer.exported': true,
  'customer.sessions_revoked': true,
  'customer.password_changed': true,
  'customer.password_reset': true,
  'customer.email_changed': true,
  'customer.verification_sent': true,
  'customer.password_reset_sent': true,
  'customer.invitation_sent': true,
  'import.started': true,
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
  'operator.recovery_codes_renewed': true,
  'operator.password_changed': true,
  'operator.sessions_revoked': true,
  'operator.password_failed': true,
  'operator.code_failed': true,
  'operator.signed_in': true,
  'operator.signed_out': true,
  'mail.tested': true,
};

const resourceOf = (action: string): string => action.split('.', 1)[0]!;

const names = Object.keys(actions);

/** Single actions, and before those of each noun all of them as one, which the API takes as `noun.*`. */
export const actionOptions: Record<string, string> = Object.fromEntries(
  [...new Set(names.map(resourceOf))].flatMap((noun) => {
    const own = names.filter((action) => resourceOf(action) === noun);
    const group = own.length > 1 ? [`${noun}.*`] : [];
    return [...group, ...own].map((name) => [name, name]);
  }),
);

export const actorTypes: Record<AuditEntry['actorType'], string> = {
  operator: 'Operators',
  key: 'Secret keys',
  customer: 'Customers',
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
};

const screenPaths: Partial<Record<string, string>> = {
  organization: 'organizations',
  project: 'projects',
  customer: 'customers',
  webhook_endpoint: 'endpoints',
  webhook_delivery: 'deliveries',
  webhook_redelivery: 'batches',
};

/** The screen of what something was done to; null where there is none. */
export function targetPath({ targetType, targetId, projectId }: AuditEntry): string | null {
  if (targetType === 'api_key') return projectId && `/projects/${projectId}?tab=keys`;
  const screen = screenPaths[targetType];
  return screen ? `/${screen}/${targetId}` : null;
}
