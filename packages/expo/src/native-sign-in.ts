/** The proof from a native sign-in. */
export interface NativeProof {
  idToken: string;
  /** The nonce in the token; undefined if the provider's SDK accepts none. */
  nonce?: string;
  /** The person's id at the provider. It is required with `name`. */
  user?: string;
  /** The person's name, which Apple returns at the first sign-in only. */
  name?: PersonName;
}

export interface PersonName {
  firstName?: string;
  lastName?: string;
}

/**
 * A provider's sign-in without a browser. `googleSignIn()` and `appleSignIn()` return one, and an app can implement it
 * with another package.
 */
export interface NativeSignIn {
  /** Returns false if the device does not have it. The sign-in then uses the browser. */
  isAvailable(): Promise<boolean>;
  /**
   * Signs in. Returns null if the customer cancels.
   * @param nonce a random string for the token's `nonce` claim
   */
  signIn(nonce: string): Promise<NativeProof | null>;
}
