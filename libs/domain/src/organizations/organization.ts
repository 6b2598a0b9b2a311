/** An organization as the API returns it to secret keys. */
export interface Organization {
  id: string;
  name: string;
  slug: string;
  /** The organization that created this one; null if it was created by the setup. */
  parentId: string | null;
  /** Origins to which the billing portal may return; empty allows any. */
  billingReturnOrigins: string[];
  createdAt: Date;
  updatedAt: Date;
}
