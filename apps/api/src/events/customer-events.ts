import type { Customer, EventType, ProjectContext } from '#domain';
import type { NewEvent } from '#persistence';
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

/** The end of a customer: ids only, and nothing that could be erased with the customer. */
export const customerDeletedEvent = (customer: Customer, project: ProjectContext): NewEvent => ({
  type: 'customer.deleted',
  organizationId: project.organizationId,
  projectId: customer.projectId,
  customerId: null,
  data: { customer: { id: customer.id, projectId: customer.projectId, externalId: customer.externalId } },
});
