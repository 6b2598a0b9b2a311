/** Client ids and client secrets of providers: visible ASCII, with spaces only inside (RFC 6749, appendix A). */
export const clientCredentialSchema = { pattern: '^[!-~](?:[ -~]{0,2046}[!-~])?$' };

/** Apple's ids of teams and keys. */
export const appleIdSchema = { pattern: '^[A-Z0-9]{10}$' };
