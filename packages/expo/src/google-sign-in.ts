import type { NativeSignIn } from './native-sign-in.js';

/** The part of `GoogleSignin` of `@react-native-google-signin/google-signin` that the SDK uses. */
export interface GoogleSigninModule {
  configure(options: GoogleSignInOptions): void;
  hasPlayServices(options: { showPlayServicesUpdateDialog: boolean }): Promise<boolean>;
  signIn(): Promise<
    { type: 'success'; data: { idToken: string | null } } | { type: 'cancelled'; data: null }
  >;
  signOut(): Promise<null>;
}

export interface GoogleSignInOptions {
  /** The id of the web client, which Android puts into the claim `aud` of the token. */
  webClientId: string;
  /** The id of the iOS client, unless the app has a `GoogleService-Info.plist`. */
  iosClientId?: string;
}

/**
 * Returns the native sign-in of Google. Its free package accepts no nonce, so `requireNonce` of the provider at Gatehouse
 * must be false.
 * @param google `GoogleSignin` of `@react-native-google-signin/google-signin`
 */
export function googleSignIn(google: GoogleSigninModule, options: GoogleSignInOptions): NativeSignIn {
  let isConfigured = false;
  return {
    isAvailable: () => google.hasPlayServices({ showPlayServicesUpdateDialog: false }).catch(() => false),

    async signIn() {
      if (!isConfigured) google.configure(options);
      isConfigured = true;
      // Otherwise the package returns its last token again, which Gatehouse accepts once, and shows no accounts.
      await google.signOut();
      const { data } = await google.signIn();
      if (!data) return null;
      if (data.idToken === null) throw new Error('Google has returned no ID token: check webClientId');
      return { idToken: data.idToken };
    },
  };
}
