import { customerJson, type Customer, type EventType, type ProjectContext } from '@gatehouse/domain';
import type { NewEvent } from '@gatehouse/persistence';

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
  data: { customer: customerJson(customer), ...data },
});

/** The end of a customer: ids only, and nothing that could be erased with the customer. */
export const customerDeletedEvent = (customer: Customer, project: ProjectContext): NewEvent => ({
  type: 'customer.deleted',
  organizationId: project.organizationId,
  projectId: customer.projectId,
  customerId: null,
  data: { customer: { id: customer.id, projectId: customer.projectId, externalId: customer.externalId } },
});
