import { GatehouseError, type SignInResult } from '@gatehouse/js';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createExpoClientOn, type ExpoClient } from './expo-client.js';
import { GatehouseProvider } from './gatehouse-provider.js';
import type { NativeModules } from './native-modules.js';
import { createSignInStore } from './sign-in-actions.js';
import { useRedirect } from './use-redirect.js';
import { useSignIn, type SignInForm } from './use-sign-in.js';

const subscription = { remove: () => undefined };
const modules: NativeModules = {
  secureStore: {
    AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY: 1,
    getItemAsync: async () => null,
    setItemAsync: async () => undefined,
    deleteItemAsync: async () => undefined,
  },
  webBrowser: { openAuthSessionAsync: async () => ({ type: 'cancel' }) },
  crypto: { getRandomValues: (array) => array },
  linking: {
    createURL: (path) => `com.example.app://${path}`,
    getInitialURL: async () => null,
    addEventListener: () => subscription,
  },
  appState: { addEventListener: () => subscription },
};

const challenge = {
  token: 'token',
  kind: 'second_factor',
  methods: ['totp'],
  expiresAt: '2030-01-01T00:00:00Z',
} as const;
const secondFactor = { status: 'second_factor', challenge } as unknown as SignInResult;

/** Returns a client with the given Google sign-in. */
function clientWith(google: () => Promise<SignInResult | null>): ExpoClient {
  const client = createExpoClientOn(modules, { url: 'http://127.0.0.1:9', publishableKey: 'pk_test' });
  return { ...client, signIn: { ...client.signIn, google } };
}

/** Runs a Google sign-in. @returns its result or error, and the screen's states */
async function signIn(google: () => Promise<SignInResult | null>) {
  const store = createSignInStore(clientWith(google));
  const states: string[] = [];
  const record = () => {
    const { isPending, error } = store.getState();
    states.push([isPending ? 'pending' : 'idle', error?.code].filter(Boolean).join(' '));
  };
  store.subscribe(record);
  const result = await store.actions.signInWithGoogle().catch((error: unknown) => error);
  return { result, states };
}

describe('createSignInStore', () => {
  it('stays pending until it returns the result', async () => {
    expect(await signIn(async () => secondFactor)).toEqual({
      result: secondFactor,
      states: ['pending', 'idle'],
    });
  });

  it('throws sign_in_canceled without setting the error', async () => {
    const { result, states } = await signIn(async () => null);
    expect(result).toMatchObject({ name: 'GatehouseError', code: 'sign_in_canceled' });
    expect(states).toEqual(['pending', 'idle']);
  });

  it('throws errors from Gatehouse, and keeps the error until the next call', async () => {
    const error = new GatehouseError('access_denied', 'denied');
    expect(await signIn(() => Promise.reject(error))).toEqual({
      result: error,
      states: ['pending', 'idle access_denied'],
    });
    const store = createSignInStore(clientWith(() => Promise.reject(error)));
    await store.actions.signInWithGoogle().catch(() => undefined);
    await store.actions.signInWithApple().catch(() => undefined);
    expect(store.getState().error?.code).not.toBe('access_denied');
  });

  it('wraps errors from native modules in a GatehouseError with the cause', async () => {
    const cause = new Error('DEVELOPER_ERROR');
    const { result, states } = await signIn(() => Promise.reject(cause));
    expect(result).toMatchObject({ code: 'native_sign_in_failed', message: 'DEVELOPER_ERROR', cause });
    expect(states).toEqual(['pending', 'idle native_sign_in_failed']);
  });

  it('stays pending until all concurrent calls have returned', async () => {
    let finish: (result: SignInResult) => void = () => undefined;
    const store = createSignInStore(clientWith(() => new Promise((resolve) => (finish = resolve))));
    const first = store.actions.signInWithGoogle();
    await store.actions.signInWithApple().catch(() => undefined);
    expect(store.getState().isPending).toBe(true);
    finish(secondFactor);
    await first;
    expect(store.getState().isPending).toBe(false);
  });
});

describe('useSignIn', () => {
  it('returns the functions and the state inside the provider', async () => {
    let form: SignInForm | undefined;
    const Screen = () => {
      form = useSignIn();
      return useRedirect().result === null ? 'no redirect' : 'redirect';
    };
    const client = clientWith(async () => secondFactor);
    expect(renderToString(createElement(GatehouseProvider, { client }, createElement(Screen)))).toBe(
      'no redirect',
    );
    expect(form).toMatchObject({ isPending: false, error: null });
    const { signInWithGoogle } = form!;
    const result = await signInWithGoogle();
    expect(result.status === 'second_factor' && result.challenge.token).toBe('token');
  });

  it('throws outside the provider', () => {
    const Screen = () => String(useSignIn().isPending);
    expect(() => renderToString(createElement(Screen))).toThrow('inside <GatehouseProvider>');
  });
});
