import type { NativeSignIn, PersonName } from './native-sign-in.js';

/** The part of `expo-apple-authentication` that the SDK uses. */
export interface AppleAuthenticationModule {
  isAvailableAsync(): Promise<boolean>;
  signInAsync(options: { requestedScopes: number[]; nonce: string }): Promise<AppleCredential>;
  readonly AppleAuthenticationScope: { readonly FULL_NAME: number; readonly EMAIL: number };
}

export interface AppleCredential {
  identityToken: string | null;
  user: string;
  fullName: { givenName: string | null; familyName: string | null } | null;
}

/**
 * Returns Apple's native sign-in, which is available only on iOS.
 * @param apple the module `expo-apple-authentication`
 */
export const appleSignIn = (apple: AppleAuthenticationModule): NativeSignIn => ({
  isAvailable: () => apple.isAvailableAsync(),

  async signIn(nonce) {
    const { FULL_NAME, EMAIL } = apple.AppleAuthenticationScope;
    try {
      const credential = await apple.signInAsync({ requestedScopes: [FULL_NAME, EMAIL], nonce });
      const { identityToken, user, fullName } = credential;
      if (identityToken === null) throw new Error('Apple returned no ID token');
      const name = toName(fullName);
      return { idToken: identityToken, nonce, user, ...(name ? { name } : {}) };
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_REQUEST_CANCELED') return null;
      throw error;
    }
  },
});

function toName(fullName: AppleCredential['fullName']): PersonName | null {
  const { givenName, familyName } = fullName ?? {};
  if (!givenName && !familyName) return null;
  return { ...(givenName ? { firstName: givenName } : {}), ...(familyName ? { lastName: familyName } : {}) };
}
