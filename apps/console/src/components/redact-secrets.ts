/**
 * Returns pasted text without secrets, so that it can be part of a URL (requirement CO-05). A key is reduced to its
 * first eight characters, as in lists, and a signing secret to its prefix. The same applies to truncated keys
 * and secrets.
 */
export const redactSecrets = (text: string): string =>
  text
    .replace(/\b[sp]k_[0-9A-Za-z]{20,}/g, (key) => key.slice(0, 8))
    .replace(/\bwhsec_[0-9A-Za-z+/=_-]+/g, 'whsec_');
