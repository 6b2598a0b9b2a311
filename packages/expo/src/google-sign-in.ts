import type { NativeSignIn } from './native-sign-in.js';

/** The part of `GoogleSignin` from `@react-native-google-signin/google-signin` that the SDK uses. */
export interface GoogleSigninModule {
  configure(options: GoogleSignInOptions): void;
  hasPlayServices(options: { showPlayServicesUpdateDialog: boolean }): Promise<boolean>;
  signIn(): Promise<
    { type: 'success'; data: { idToken: string | null } } | { type: 'cancelled'; data: null }
  >;
  signOut(): Promise<null>;
}

export interface GoogleSignInOptions {
  /** The web client's id, which is the `aud` claim of tokens issued on Android. */
  webClientId: string;
  /** The iOS client's id. Required unless the app has a `GoogleService-Info.plist`. */
  iosClientId?: string;
}

/**
 * Returns Google's native sign-in. The free version of the package accepts no nonce, so `requireNonce` must be false
 * for the provider in Gatehouse.
 * @param google `GoogleSignin` from `@react-native-google-signin/google-signin`
 */
export function googleSignIn(google: GoogleSigninModule, options: GoogleSignInOptions): NativeSignIn {
  let isConfigured = false;
  return {
    isAvailable: () => google.hasPlayServices({ showPlayServicesUpdateDialog: false }).catch(() => false),

    async signIn() {
      if (!isConfigured) google.configure(options);
      isConfigured = true;
      // Without the sign-out, the package would skip the account picker and return its last token, which Gatehouse
      // accepts only once.
      await google.signOut();
      const { data } = await google.signIn();
      if (!data) return null;
      if (data.idToken === null) throw new Error('Google returned no ID token: check webClientId');
      return { idToken: data.idToken };
    },
  };
}
