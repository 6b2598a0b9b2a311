/**
 * Provider client ids and client secrets: visible ASCII, without leading or trailing spaces (RFC 6749, appendix
 * A).
 */
export const clientCredentialSchema = { pattern: '^[!-~](?:[ -~]{0,2046}[!-~])?$' };

/** Apple's team and key ids. */
export const appleIdSchema = { pattern: '^[A-Z0-9]{10}$' };
