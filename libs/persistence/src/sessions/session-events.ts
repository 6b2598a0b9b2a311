import { customerJson, deviceName, type Customer, type RevocationReason } from '@gatehouse/domain';
import type { NewEvent } from '../events/events.repository.js';
import type { SessionRecord } from './sessions.repository.js';

/** Returns the session resource for events and for responses to requests with a secret key. */
export const sessionResource = (session: SessionRecord) => ({
  id: session.id,
  device: deviceName(session.userAgent),
  ip: session.ip,
  userAgent: session.userAgent,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
});

/** Creates a `session.revoked` event. */
export const sessionRevokedEvent = (
  session: SessionRecord,
  customer: Customer,
  { organizationId }: { organizationId: string },
  reason: RevocationReason,
): NewEvent => ({
  type: 'session.revoked',
  organizationId,
  projectId: customer.projectId,
  customerId: customer.id,
  data: { customer: customerJson(customer), session: sessionResource(session), reason },
});
