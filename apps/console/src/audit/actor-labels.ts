import type { Schemas } from '../http/client';

/** The labels of the types of actors that change records. */
export const actorLabels: Record<Schemas['NamedAuditEntryResponse']['actorType'], string> = {
  operator: 'Operator',
  key: 'API key',
  customer: 'Customer',
  support: 'Support',
  system: 'System',
};
