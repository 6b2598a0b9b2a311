/** The proof of a native sign-in. */
export interface NativeProof {
  idToken: string;
  /** The nonce in the token; undefined if the SDK of the provider accepts none. */
  nonce?: string;
  /** The id of the person at the provider. It is required with `name`. */
  user?: string;
  /** The name of the person, which Apple returns at the first sign-in only. */
  name?: PersonName;
}

export interface PersonName {
  firstName?: string;
  lastName?: string;
}

/**
 * The sign-in of a provider without a browser. `googleSignIn()` and `appleSignIn()` return one, and an app can implement
 * it with another package.
 */
export interface NativeSignIn {
  /** Returns false if the device does not have it. The sign-in then uses the browser. */
  isAvailable(): Promise<boolean>;
  /**
   * Signs in. Returns null if the customer cancels.
   * @param nonce a random text for the claim `nonce` of the token
   */
  signIn(nonce: string): Promise<NativeProof | null>;
}
