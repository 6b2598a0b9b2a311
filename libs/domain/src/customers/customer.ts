/** An end user of a project (contract, sections 1 and 4). */
export interface Customer {
  id: string;
  projectId: string;
  externalId: string | null;
  email: string;
  firstName: string | null;
  lastName: string | null;
  emailVerified: boolean;
  /** For secret keys only; never in `/me` or a token. */
  metadata: Record<string, unknown>;
  /** The customer may read it. */
  publicMetadata: Record<string, unknown>;
  disabledAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  lastLoginAt: Date | null;
}

/** What an access token and the answer that brings it say about a customer. */
export type CustomerIdentity = Pick<
  Customer,
  'id' | 'email' | 'firstName' | 'lastName' | 'emailVerified' | 'publicMetadata'
>;
