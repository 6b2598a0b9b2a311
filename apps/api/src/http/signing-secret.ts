import { isWebhookSecret } from '@gatehouse/platform';

/** The options of a field that accepts a signing secret. */
export const signingSecret = {
  example: 'whsec_dGhlIHNlY3JldCBvZiB5b3VyIHJlY2VpdmVy',
  schema: { pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$', writeOnly: true },
  isValid: isWebhookSecret,
  message: '$property must be whsec_ and 24 to 64 bytes in base64',
};
