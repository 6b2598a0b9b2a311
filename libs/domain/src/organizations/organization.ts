/** An organization as secret keys see it. */
export interface Organization {
  id: string;
  name: string;
  slug: string;
  /** The organization that created it; null for one that came with the house. */
  parentId: string | null;
  /** Where the billing portal may lead back to; empty: anywhere. */
  billingReturnOrigins: string[];
  createdAt: Date;
  updatedAt: Date;
}
