import type { ClientCore } from './client-core.js';
import type { Page } from './pages.js';
import type { AddedPasskey, Passkey, SignInResult } from './types.js';

interface CreationOptions {
  options: PublicKeyCredentialCreationOptionsJSON;
}
interface RequestOptions {
  options: PublicKeyCredentialRequestOptionsJSON;
}

/** Signs in with a passkey that the customer chooses. */
export async function signIn(core: ClientCore): Promise<SignInResult> {
  const { options } = await core.post<RequestOptions>('/auth/passkey/options');
  return core.signIn('/auth/passkey', { response: await usePasskey(core, options) });
}

/** Completes a sign-in with a passkey as the second factor. */
export async function completeChallenge(core: ClientCore, challengeToken: string): Promise<SignInResult> {
  const { options } = await core.post<RequestOptions>('/auth/challenge/passkey/options', { challengeToken });
  return core.signIn('/auth/challenge/passkey', {
    challengeToken,
    response: await usePasskey(core, options),
  });
}

/** Adds a passkey as the second factor that a sign-in requires, and completes the sign-in. */
export async function enroll(
  core: ClientCore,
  challengeToken: string,
  name: string | undefined,
): Promise<SignInResult> {
  const path = '/auth/challenge/enroll-passkey';
  const { options } = await core.post<CreationOptions>(`${path}/options`, { challengeToken });
  const response = await createPasskey(core, options);
  const result = await core.signIn(path, { challengeToken, response });
  if (name && result.status === 'complete') await renameNewest(core, name);
  return result;
}

/** Adds a passkey to the customer. */
export async function add(
  core: ClientCore,
  { name, ...proof }: { name?: string; password?: string },
): Promise<AddedPasskey> {
  const { manager } = core;
  const { options } = await manager.call<CreationOptions>('POST', '/me/passkeys/options', proof);
  const response = await createPasskey(core, options);
  return manager.call('POST', '/me/passkeys', { ...(name ? { name } : {}), response });
}

/** Returns the customer's passkeys. */
export const list = async ({ manager }: ClientCore): Promise<Passkey[]> =>
  (await manager.call<Page<Passkey>>('GET', '/me/passkeys')).data;

/** Renames a passkey. */
export const rename = ({ manager }: ClientCore, id: string, name: string): Promise<Passkey> =>
  manager.call('PATCH', `/me/passkeys/${id}`, { name });

/** Removes a passkey. */
export const remove = ({ manager }: ClientCore, id: string): Promise<void> =>
  manager.call('DELETE', `/me/passkeys/${id}`);

/** Reauthenticates the customer with a passkey. */
export async function reauthenticate(core: ClientCore): Promise<void> {
  const { options } = await core.manager.call<RequestOptions>('POST', '/me/reauthenticate/options', {
    method: 'passkey',
  });
  await core.reauthenticate('', { method: 'passkey', response: await usePasskey(core, options) });
}

/** Names the passkey that was just added, because the enrollment request accepts no name. */
async function renameNewest(core: ClientCore, name: string): Promise<void> {
  const [newest] = (await list(core)).sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  if (newest) await rename(core, newest.id, name);
}

const usePasskey = (core: ClientCore, options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> =>
  withErrors(core, () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return navigator.credentials.get({ publicKey });
  });

const createPasskey = (core: ClientCore, options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> =>
  withErrors(core, () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return navigator.credentials.create({ publicKey });
  });

const CODES: Record<string, string> = {
  NotAllowedError: 'passkey_canceled',
  AbortError: 'passkey_canceled',
  InvalidStateError: 'passkey_already_added',
};

async function withErrors(core: ClientCore, work: () => Promise<Credential | null>): Promise<unknown> {
  if (typeof PublicKeyCredential !== 'function')
    throw core.error('passkeys_not_supported', 'The page or the browser does not support passkeys');
  try {
    return ((await work()) as PublicKeyCredential).toJSON();
  } catch (error) {
    const { name, message } = error as Error;
    throw core.error(CODES[name] ?? 'passkey_failed', message, error);
  }
}
