import { containsCondition, searchedText } from '../lists/contains-condition.js';
import type { Conditions } from '../sql/conditions.js';
import { LOCK_END } from './customer-lock-sql.js';

export interface CustomerFilter {
  projectId: string | null;
  email: string | null;
  externalId: string | null;
  /** Prefix of the email, first name, last name, or both names separated by a space. Case-insensitive. */
  q: string | null;
  /** Substring of the email, or of both names separated by a space. Case-insensitive. */
  contains: string | null;
  emailVerified: boolean | null;
  disabled: boolean | null;
  /** True to list only customers who are locked after failed sign-ins. */
  locked: boolean;
  createdAfter: Date | null;
  createdBefore: Date | null;
  lastLoginAfter: Date | null;
  lastLoginBefore: Date | null;
}

/** A filter that matches every customer. */
export const emptyCustomerFilter: CustomerFilter = {
  projectId: null,
  email: null,
  externalId: null,
  q: null,
  contains: null,
  emailVerified: null,
  disabled: null,
  locked: false,
  createdAfter: null,
  createdBefore: null,
  lastLoginAfter: null,
  lastLoginBefore: null,
};

/** A string of a customer `c` that `q` is compared with. */
export interface SearchedText {
  /** SQL for the string, identical to the index expression. */
  text: string;
  /** The partial index condition. */
  condition: string;
}

export const searchedTexts = {
  email: { text: '(c.email COLLATE "C")', condition: 'true' },
  fullName: {
    text: `(lower(coalesce(c.first_name || ' ', '') || coalesce(c.last_name, '')) COLLATE "C")`,
    condition: '(c.first_name IS NOT NULL OR c.last_name IS NOT NULL)',
  },
  lastName: {
    text: '(lower(c.last_name) COLLATE "C")',
    condition: 'c.first_name IS NOT NULL AND c.last_name IS NOT NULL',
  },
} satisfies Record<string, SearchedText>;

/** Returns whether a list is sorted by the string that `q` matches, rather than by time. */
export const isSortedByText = ({ email, externalId, q, locked }: CustomerFilter): boolean =>
  q !== null && email === null && externalId === null && !locked;

/** Adds the conditions that scanned rows must match. */
export function addMatchConditions(where: Conditions, filter: CustomerFilter): void {
  where
    .add('true')
    .addIf(filter.email, (value) => `c.email = ${value}`)
    .addIf(filter.externalId, (value) => `c.external_id = ${value}`)
    .addIf(filter.emailVerified, (value) => `c.email_verified = ${value}`)
    .addIf(filter.disabled, (value) => `(c.disabled_at IS NOT NULL) = ${value}`)
    .addIf(filter.createdAfter, (value) => `c.created_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `c.created_at < ${value}`)
    .addIf(filter.lastLoginAfter, (value) => `c.last_login_at > ${value}`)
    .addIf(filter.lastLoginBefore, (value) => `c.last_login_at < ${value}`);
  // A customer with several locks is listed once, at the lock that ends last.
  if (filter.locked) where.add(`c.key = ${LOCK_END}`);
  if (filter.contains !== null)
    where.add(containsCondition(where, searchedText.customer('c'), filter.contains));
  if (filter.q === null) return;
  const prefix = where.bind(filter.q);
  const matches = Object.values(searchedTexts).map(
    ({ text, condition }) =>
      `CASE WHEN ${condition} AND starts_with(${text}, lower(${prefix})) THEN ${text} END`,
  );
  // A customer with several matching strings is listed once, at the first position.
  const firstMatch = `c.key = least(${matches.join(', ')})`;
  where.add(isSortedByText(filter) ? firstMatch : `coalesce(${matches.join(', ')}) IS NOT NULL`);
}
