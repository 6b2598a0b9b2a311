import { customerJson, type Customer, type CustomerEventType, type ProjectContext } from '@gatehouse/domain';
import type { NewEvent } from '@gatehouse/persistence';

/** Returns an event about a customer. `data` is merged into the event data. */
export const customerEvent = (
  type: CustomerEventType,
  customer: Customer,
  project: Pick<ProjectContext, 'organizationId'>,
  data: Record<string, unknown> = {},
): NewEvent => ({
  type,
  organizationId: project.organizationId,
  projectId: customer.projectId,
  customerId: customer.id,
  data: { customer: customerJson(customer), ...data },
});

/** Returns the event for a deletion. It contains only ids, and no data that must be erased with the customer. */
export const customerDeletedEvent = (customer: Customer, project: ProjectContext): NewEvent => ({
  type: 'customer.deleted',
  organizationId: project.organizationId,
  projectId: customer.projectId,
  customerId: null,
  data: { customer: { id: customer.id, projectId: customer.projectId, externalId: customer.externalId } },
});
