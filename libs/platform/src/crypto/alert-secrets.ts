import type { Keyring } from './keyring.js';
import { formatWebhookSecret } from './webhook-signature.js';

/**
 * The secrets that sign alerts, one for each entry of GATEHOUSE_SECRET, newest first. Derived, so there is nothing to
 * keep; `npm run gatehouse -- alert-secret` prints the first.
 */
export const alertSecrets = (keyring: Keyring): string[] =>
  keyring.macWithEachKey('alert-webhook', 'secret').map(formatWebhookSecret);
