import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * 49,233 passwords that attackers try first, 17,950 of them of 8 characters or more; the list of
 * @zxcvbn-ts/language-common (MIT), lower-cased.
 */
const commonPasswords = new Set<string>(dictionary['passwords-common']);

/** @param password lower-cased */
export const isCommonPassword = (password: string): boolean => commonPasswords.has(password);
