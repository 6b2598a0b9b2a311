import type { Schemas } from '../http/client';
import { formatMetadata, metadataPatch, parseMetadata } from './metadata-patch';

type Customer = Schemas['CustomerResponse'];

/** The fields in the customer form, as text. */
export interface CustomerFields {
  email: string;
  firstName: string;
  lastName: string;
  emailVerified: boolean;
  externalId: string;
  locale: string;
  metadata: string;
  publicMetadata: string;
}

export const emptyCustomer: CustomerFields = {
  email: '',
  firstName: '',
  lastName: '',
  emailVerified: false,
  externalId: '',
  locale: '',
  metadata: '',
  publicMetadata: '',
};

export const toFields = (customer: Customer): CustomerFields => ({
  email: customer.email,
  firstName: customer.firstName ?? '',
  lastName: customer.lastName ?? '',
  emailVerified: customer.emailVerified,
  externalId: customer.externalId ?? '',
  locale: customer.locale ?? '',
  metadata: formatMetadata(customer.metadata),
  publicMetadata: formatMetadata(customer.publicMetadata),
});

export const isComplete = ({ email, metadata, publicMetadata }: CustomerFields): boolean =>
  email.trim() !== '' && parseMetadata(metadata) !== null && parseMetadata(publicMetadata) !== null;

/** Returns a new customer's fields for the API. */
export const toNewCustomer = (
  fields: CustomerFields,
): Omit<Schemas['CreateCustomerRequest'], 'projectId'> => ({
  email: fields.email.trim(),
  firstName: fields.firstName.trim() || null,
  lastName: fields.lastName.trim() || null,
  emailVerified: fields.emailVerified,
  externalId: fields.externalId.trim() || null,
  locale: fields.locale.trim() || null,
  metadata: parseMetadata(fields.metadata) ?? {},
  publicMetadata: parseMetadata(fields.publicMetadata) ?? {},
});

const names = Object.keys(emptyCustomer) as (keyof CustomerFields)[];

/** Returns the names of the fields that differ. */
const changedFields = (before: CustomerFields, after: CustomerFields): (keyof CustomerFields)[] =>
  names.filter((name) => before[name] !== after[name]);

/** Returns a merge patch with only the changed fields, so that concurrent changes to other fields are kept. */
export function toPatch(before: CustomerFields, after: CustomerFields): Schemas['UpdateCustomerRequest'] {
  const changed = toNewCustomer(after);
  const patch: Record<string, unknown> = {};
  for (const name of changedFields(before, after)) {
    patch[name] =
      name === 'metadata' || name === 'publicMetadata'
        ? (metadataPatch(parseMetadata(before[name]) ?? {}, parseMetadata(after[name]) ?? {}) ?? {})
        : changed[name];
  }
  return patch;
}
