import type { Schemas } from '../http/client';
import actions from './audit-actions.json';

export type AuditEntry = Schemas['NamedAuditEntryResponse'];

const resourceOf = (action: string): string => action.split('.', 1)[0]!;

/**
 * Options in the action filter. If a resource has several actions, the option `<resource>.*` selects all of them.
 */
export const actionOptions: Record<string, string> = Object.fromEntries(
  [...new Set(actions.map(resourceOf))].flatMap((resource) => {
    const resourceActions = actions.filter((action) => resourceOf(action) === resource);
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

/** The target types whose targets have a name for as long as they exist. */
const namedTypes = [
  'organization',
  'project',
  'api_key',
  'customer',
  'webhook_endpoint',
  'operator',
  'identity_provider',
];

/** Returns whether an entry's target no longer exists. */
export const isDeletedTarget = ({ targetType, targetName }: AuditEntry): boolean =>
  targetName === null && namedTypes.includes(targetType);

/** Returns the path of the target's screen, or null if it has no screen. */
export function targetPath({ targetType, targetId, projectId }: AuditEntry): string | null {
  if (targetType === 'api_key') return projectId && `/projects/${projectId}/keys/${targetId}`;
  if (targetType === 'identity_provider')
    return projectId && `/projects/${projectId}/identity-providers/${targetId}`;
  const screen = screenPaths[targetType];
  return screen ? `/${screen}/${targetId}` : null;
}
