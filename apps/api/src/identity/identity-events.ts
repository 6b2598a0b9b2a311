import type { Customer, EventType, ProjectContext } from '#domain';
import type { NewEvent, SessionRecord } from '#persistence';
import { CustomerResponse } from '../customers/dto/customer.response.js';

/** An event about a customer; `data` carries what else belongs to it. */
export const customerEvent = (
  type: EventType,
  customer: Customer,
  project: Pick<ProjectContext, 'organizationId'>,
  data: Record<string, unknown> = {},
): NewEvent => ({
  type,
  organizationId: project.organizationId,
  projectId: customer.projectId,
  customerId: customer.id,
  data: { customer: CustomerResponse.from(customer), ...data },
});

/** A session as events show it. */
export const sessionResource = (session: SessionRecord) => ({
  id: session.id,
  createdAt: session.createdAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
  ip: session.ip,
  userAgent: session.userAgent,
});
