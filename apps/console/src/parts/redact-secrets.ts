/**
 * What may stand in a URL of a text that somebody pasted (requirement CO-05): of a key the eight characters by which
 * lists show it, of a signing secret nothing. A part of one counts as one.
 */
export const redactSecrets = (text: string): string =>
  text
    .replace(/\b[sp]k_[0-9A-Za-z]{20,}/g, (key) => key.slice(0, 8))
    .replace(/\bwhsec_[0-9A-Za-z+/=_-]+/g, 'whsec_');
