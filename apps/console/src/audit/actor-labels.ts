import type { Schemas } from '../http/client';

/** The labels for the actor types that change records. */
export const actorLabels: Record<Schemas['NamedAuditEntryResponse']['actorType'], string> = {
  operator: 'Operator',
  key: 'API key',
  customer: 'Customer',
  support: 'Support',
  system: 'System',
};
