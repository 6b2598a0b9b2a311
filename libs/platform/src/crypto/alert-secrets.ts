import type { Keyring } from './keyring.js';
import { formatWebhookSecret } from './webhook-signature.js';

/**
 * Returns the secrets that sign alerts, one per entry of GATEHOUSE_SECRET, newest first. They are derived and not
 * stored. `npm run gatehouse -- alert-secret` prints the first one.
 */
export const alertSecrets = (keyring: Keyring): string[] =>
  keyring.macWithEachKey('alert-webhook', 'secret').map(formatWebhookSecret);
