/** Email code validity in seconds (sign-in contract, section 3). */
export const EMAIL_CODE_TTL = 600;

/** The number of wrong guesses after which a code is void (sign-in contract, section 3). */
export const MAX_CODE_GUESSES = 5;

/**
 * Returns the fixed code for email addresses at reserved test domains, so that tests need not receive an email.
 * Returns null for other email addresses, in production, and if the project has no such code.
 */
export const testCode = (
  { settings }: { settings: { testEmailCode: string | null } },
  email: string,
  { production }: { production: boolean },
): string | null => (!production && isTestAddress(email) ? settings.testEmailCode : null);

/** Returns whether an email address is at a domain that is reserved for tests (RFC 2606). */
export function isTestAddress(email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return domain === 'example.com' || domain.endsWith('.test');
}
