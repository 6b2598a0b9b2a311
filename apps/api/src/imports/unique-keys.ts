import type { Customer } from '@gatehouse/domain';

export const idKey = (id: string | null): string => `id ${id}`;

export const emailKey = ({ email }: Pick<Customer, 'email'>): string => `email ${email}`;

/** Returns an empty string, which no customer has, if there is no external id. */
export const externalIdKey = ({ externalId }: Pick<Customer, 'externalId'>): string =>
  externalId === null ? '' : `externalId ${externalId}`;
