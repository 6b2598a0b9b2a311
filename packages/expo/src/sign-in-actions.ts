import { GatehouseError, type SignInResult } from '@gatehouse/js';
import type { ExpoClient, ProviderFlow } from './expo-client.js';
import type { RedirectOptions } from './redirect-target.js';

/** The state of a sign-in screen. */
export interface SignInState {
  /** True while a call is running. */
  isPending: boolean;
  /** The last call's error, or null. Null also if the customer canceled the sign-in. */
  error: GatehouseError | null;
}

/** The functions for a sign-in screen. All throw GatehouseError, with `sign_in_canceled` if the customer cancels. */
export type SignInActions = ReturnType<typeof createActions>;

type Run = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns the functions for a sign-in screen, and their state as an external React store. */
export function createSignInStore(client: ExpoClient) {
  const idle: SignInState = { isPending: false, error: null };
  let state = idle;
  let pending = 0;
  const listeners = new Set<() => void>();
  const set = (changes: Partial<SignInState>): void => {
    state = { ...state, ...changes, isPending: pending > 0 };
    for (const listener of listeners) listener();
  };
  const run: Run = async (work) => {
    pending += 1;
    set({ error: null });
    let error: GatehouseError | null = null;
    try {
      return await work();
    } catch (cause) {
      const isCanceled = cause instanceof GatehouseError && cause.code === 'sign_in_canceled';
      error = isCanceled ? null : toGatehouseError(cause);
      throw error ?? cause;
    } finally {
      pending -= 1;
      set({ error });
    }
  };
  return {
    actions: createActions(client, run),
    getState: () => state,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function createActions(client: ExpoClient, run: Run) {
  const { signIn, challenge } = client;
  const wrap =
    <Arguments extends unknown[], Result>(work: (...args: Arguments) => Promise<Result>) =>
    (...args: Arguments): Promise<Result> =>
      run(() => work(...args));
  /** Runs a sign-in that returns null if the customer cancels. */
  const complete = (work: () => Promise<unknown>): Promise<SignInResult> =>
    run(async () => {
      const result = await work();
      if (!result) throw new GatehouseError('sign_in_canceled', 'The customer canceled the sign-in');
      return result as SignInResult;
    });
  return {
    /** Registers a customer. */
    signUp: wrap(client.signUp),
    /** Signs in with a password. */
    signInWithPassword: wrap(signIn.password),
    /** Emails a code. Returns the token for `signInWithEmailCode()`. */
    sendEmailCode: wrap(client.sendEmailCode),
    /** Signs in with an emailed code. */
    signInWithEmailCode: wrap(signIn.emailCode),
    /** Signs in with Google, natively or in the browser. */
    signInWithGoogle: (flow?: ProviderFlow) => complete(() => signIn.google(flow)),
    /** Signs in with Apple, natively or in the browser. */
    signInWithApple: (flow?: ProviderFlow) => complete(() => signIn.apple(flow)),
    /** Signs in with a provider in the browser. @param provider the provider's slug in the project */
    signInWithProvider: (provider: string, redirect: RedirectOptions = {}) =>
      complete(() => signIn.social({ provider, ...redirect })),
    /** The `client.challenge` functions except those for passkeys, which work only in browsers. */
    challenge: {
      totp: wrap(challenge.totp),
      recoveryCode: wrap(challenge.recoveryCode),
      enrollTotp: wrap(challenge.enrollTotp),
    },
  };
}

/** Wraps errors from native modules, so that screens handle only GatehouseError. */
const toGatehouseError = (cause: unknown): GatehouseError =>
  cause instanceof GatehouseError
    ? cause
    : new GatehouseError('native_sign_in_failed', cause instanceof Error ? cause.message : String(cause), {
        cause,
      });
