/** Validity of an email code in seconds (sign-in contract, section 3). */
export const EMAIL_CODE_TTL = 600;

/** Returns whether an address is at a domain that is reserved for tests (RFC 2606). */
export function isTestAddress(email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return domain === 'example.com' || domain.endsWith('.test');
}
