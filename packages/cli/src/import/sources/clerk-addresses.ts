import { reasons } from '../reasons.js';
import type { CustomerDraft } from '../source-fields.js';
import { unknown } from '../unknown-reasons.js';

/** A user's email addresses. The customer gets `primary`, or the first address if there is no primary one. */
export interface Addresses {
  verified: string[];
  unverified: string[];
  primary?: string;
}

/** Returns the email address for the customer, or an empty string. */
export const addressOf = ({ verified, unverified, primary }: Addresses): string =>
  primary || verified[0] || unverified[0] || '';

/** Sets the customer's email address, and whether it is verified. */
export function setEmail(draft: CustomerDraft, addresses: Addresses): void {
  const { verified, unverified } = addresses;
  const email = addressOf(addresses);
  const isEmail = (other: string) => other.toLowerCase() === email.toLowerCase();
  const [isVerified, isUnverified] = [verified.some(isEmail), unverified.some(isEmail)];
  draft.set('email', email).set('emailVerified', isVerified && !isUnverified);
  if (email !== '' && isVerified === isUnverified)
    draft.leaveOut('primary_email_address', unknown.verification);
  if (![...verified, ...unverified].every(isEmail)) draft.leaveOut('email_addresses', reasons.oneEmail);
}
