import type { Customer, EventType, ProjectContext } from '@gatehouse/domain';
import type { NewEvent } from '@gatehouse/persistence';

/** A customer as events and secret keys show it. Times are in ISO 8601. */
export interface CustomerFields {
  id: string;
  projectId: string;
  externalId: string | null;
  email: string;
  firstName: string | null;
  lastName: string | null;
  emailVerified: boolean;
  metadata: Record<string, unknown>;
  publicMetadata: Record<string, unknown>;
  disabledAt: string | null;
  createdAt: string;
  updatedAt: string;
  lastLoginAt: string | null;
}

/** Returns the fields of a customer for an event or a response. */
export const customerFields = (customer: Customer): CustomerFields => ({
  id: customer.id,
  projectId: customer.projectId,
  externalId: customer.externalId,
  email: customer.email,
  firstName: customer.firstName,
  lastName: customer.lastName,
  emailVerified: customer.emailVerified,
  metadata: customer.metadata,
  publicMetadata: customer.publicMetadata,
  disabledAt: iso(customer.disabledAt),
  createdAt: customer.createdAt.toISOString(),
  updatedAt: customer.updatedAt.toISOString(),
  lastLoginAt: iso(customer.lastLoginAt),
});

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

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
  data: { customer: customerFields(customer), ...data },
});

/** The end of a customer: ids only, and nothing that could be erased with the customer. */
export const customerDeletedEvent = (customer: Customer, project: ProjectContext): NewEvent => ({
  type: 'customer.deleted',
  organizationId: project.organizationId,
  projectId: customer.projectId,
  customerId: null,
  data: { customer: { id: customer.id, projectId: customer.projectId, externalId: customer.externalId } },
});
