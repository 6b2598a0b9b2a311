import type { ClientCore } from './client-core.js';
import type { Factors, NewTotpFactor } from './types.js';

interface RecoveryCodes<Codes> {
  recoveryCodes: Codes;
}

/** Returns the second factors of the customer. */
export const list = ({ manager }: ClientCore): Promise<Factors> => manager.call('GET', '/me/factors');

/** Adds an authenticator app. */
export const addTotp = ({ manager }: ClientCore, proof: { password?: string }): Promise<NewTotpFactor> =>
  manager.call('POST', '/me/factors/totp', proof);

/** Confirms an authenticator app. */
export const confirmTotp = (
  { manager }: ClientCore,
  id: string,
  code: string,
): Promise<RecoveryCodes<string[] | null>> =>
  manager.call('POST', `/me/factors/totp/${id}/confirm`, { code });

/** Removes an authenticator app. */
export const remove = ({ manager }: ClientCore, id: string): Promise<void> =>
  manager.call('DELETE', `/me/factors/${id}`);

/** Returns new recovery codes. */
export const createRecoveryCodes = async (
  { manager }: ClientCore,
  proof: { password?: string },
): Promise<string[]> =>
  (await manager.call<RecoveryCodes<string[]>>('POST', '/me/recovery-codes', proof)).recoveryCodes;
