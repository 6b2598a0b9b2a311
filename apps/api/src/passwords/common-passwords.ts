import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * The 49,233 passwords that attackers try first, in lowercase. 17,950 have at least 8 characters. Source: the list in
 * `@zxcvbn-ts/language-common` (MIT).
 */
const commonPasswords = new Set<string>(dictionary['passwords-common']);

/** Returns true if the password is common. @param password in lowercase */
export const isCommonPassword = (password: string): boolean => commonPasswords.has(password);
