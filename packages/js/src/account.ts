import type { ClientCore } from './client-core.js';
import { loadPasskeys, loadRedirects } from './on-demand.js';
import { pagedList, type Page, type PagedList } from './pages.js';
import type { RedirectTarget } from './redirects.js';
import type {
  AddedPasskey,
  Customer,
  CustomerChanges,
  Factors,
  Identity,
  NewTotpFactor,
  Passkey,
  RedirectResult,
  Session,
} from './types.js';

/** Returns the `client.customer` functions. All throw GatehouseError. */
export const createCustomer = ({ manager, store }: ClientCore) => ({
  /** Returns the customer's profile. */
  get: (): Promise<Customer> => manager.call('GET', '/me'),

  /** Changes the name or the language. */
  update: (changes: CustomerChanges): Promise<Customer> => manager.call('PATCH', '/me', changes),

  /** Changes or sets the password and ends all other sessions. */
  changePassword: (fields: { currentPassword?: string; newPassword: string }): Promise<void> =>
    manager.call('POST', '/me/password', fields),

  /** Emails links to both addresses. The address changes when both are confirmed. */
  changeEmail: (fields: { email: string; password?: string }): Promise<void> =>
    manager.call('POST', '/me/email', fields).then(() => undefined),

  /** Deletes the account and signs the customer out. */
  delete: async (fields: { currentPassword?: string } = {}): Promise<void> => {
    await manager.call('POST', '/me/delete', fields);
    if (store.current) await manager.end(store.current);
  },
});

/** Returns the `client.sessions` functions. All throw GatehouseError. */
export const createSessions = ({ manager }: ClientCore) => ({
  /** Lists the active sessions, newest first: the first page with `await`, all sessions with `for await`. */
  list: ({ limit }: { limit?: number } = {}): PagedList<Session> =>
    pagedList((cursor) => {
      const query = [limit && `limit=${limit}`, cursor && `cursor=${encodeURIComponent(cursor)}`];
      return manager.call<Page<Session>>('GET', `/me/sessions?${query.filter(Boolean).join('&')}`);
    }),

  /** Ends a session. */
  revoke: (id: string): Promise<void> => manager.call('DELETE', `/me/sessions/${id}`),
});

/** Returns the `client.factors` functions. All throw GatehouseError. */
export const createFactors = ({ manager }: ClientCore) => ({
  /** Returns the second factors and the number of unused recovery codes. */
  list: (): Promise<Factors> => manager.call('GET', '/me/factors'),

  /** Adds an authenticator app, which stays unconfirmed until `confirmTotp()` is called. */
  addTotp: (proof: { password?: string } = {}): Promise<NewTotpFactor> =>
    manager.call('POST', '/me/factors/totp', proof),

  /** Confirms an authenticator app with its first code. Returns recovery codes if it is the first second factor. */
  confirmTotp: (id: string, proof: { code: string }): Promise<{ recoveryCodes: string[] | null }> =>
    manager.call('POST', `/me/factors/totp/${id}/confirm`, proof),

  /** Removes an authenticator app. */
  remove: (id: string): Promise<void> => manager.call('DELETE', `/me/factors/${id}`),

  /** Returns new recovery codes, which replace the previous ones. */
  createRecoveryCodes: async (proof: { password?: string } = {}): Promise<string[]> =>
    (await manager.call<{ recoveryCodes: string[] }>('POST', '/me/recovery-codes', proof)).recoveryCodes,
});

/** Returns the `client.passkeys` functions. All throw GatehouseError. */
export const createPasskeys = (core: ClientCore) => ({
  /** Returns the customer's passkeys. */
  list: async (): Promise<Passkey[]> => (await loadPasskeys()).list(core),

  /** Creates a passkey on the device and adds it. */
  add: async (fields: { name?: string; password?: string } = {}): Promise<AddedPasskey> =>
    (await loadPasskeys()).add(core, fields),

  /** Renames a passkey. */
  rename: async (id: string, { name }: { name: string }): Promise<Passkey> =>
    (await loadPasskeys()).rename(core, id, name),

  /** Removes a passkey from the account. It stays on the device until the customer deletes it there. */
  remove: async (id: string): Promise<void> => (await loadPasskeys()).remove(core, id),
});

/** Returns the `client.identities` functions. All throw GatehouseError. */
export const createIdentities = (core: ClientCore) => ({
  /** Returns the identity provider accounts that the customer can sign in with. */
  list: async (): Promise<Identity[]> =>
    (await core.manager.call<Page<Identity>>('GET', '/me/identities')).data,

  /** Opens an identity provider's page to link an account. Returns the same as `signIn.social()`. */
  link: async (target: RedirectTarget): Promise<RedirectResult | null> =>
    (await loadRedirects()).link(core, target),

  /** Removes an identity provider account. */
  unlink: (id: string): Promise<void> => core.manager.call('DELETE', `/me/identities/${id}`),
});

/**
 * Returns the `client.reauthenticate` functions, which verify the customer's identity again. All throw GatehouseError.
 */
export const createReauthenticate = (core: ClientCore) => ({
  /** Reauthenticates the customer with the password. */
  password: ({ password }: { password: string }): Promise<void> =>
    core.reauthenticate('', { method: 'password', password }),

  /** Reauthenticates the customer with a code from an authenticator app. */
  totp: ({ code }: { code: string }): Promise<void> => core.reauthenticate('', { method: 'totp', code }),

  /** Reauthenticates the customer with a recovery code. */
  recoveryCode: ({ code }: { code: string }): Promise<void> =>
    core.reauthenticate('', { method: 'recovery_code', code }),

  /** Emails a code for `emailCode()`. */
  sendEmailCode: (): Promise<void> =>
    core.manager.call('POST', '/me/reauthenticate/options', { method: 'email_code' }).then(() => undefined),

  /** Reauthenticates the customer with an emailed code. */
  emailCode: ({ code }: { code: string }): Promise<void> =>
    core.reauthenticate('', { method: 'email_code', code }),

  /** Reauthenticates the customer with a passkey. */
  passkey: async (): Promise<void> => (await loadPasskeys()).reauthenticate(core),

  /** Opens an identity provider's page to reauthenticate the customer. Returns the same as `signIn.social()`. */
  social: async (target: RedirectTarget): Promise<RedirectResult | null> =>
    (await loadRedirects()).reauthenticate(core, target),
});
