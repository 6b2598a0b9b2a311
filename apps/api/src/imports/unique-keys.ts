import type { Customer } from '@gatehouse/domain';

export const idKey = (id: string | null): string => `id ${id}`;

export const emailKey = ({ email }: Pick<Customer, 'email'>): string => `email ${email}`;

/** Without an external id, returns an empty string, which matches no customer. */
export const externalIdKey = ({ externalId }: Pick<Customer, 'externalId'>): string =>
  externalId === null ? '' : `externalId ${externalId}`;
