/** The result of a native sign-in. */
export interface NativeProof {
  idToken: string;
  /** The nonce in the token. Undefined if the provider's SDK accepts none. */
  nonce?: string;
  /** The customer's id at the provider. Required with `name`. */
  user?: string;
  /** The customer's name, which Apple returns only at the first sign-in. */
  name?: PersonName;
}

export interface PersonName {
  firstName?: string;
  lastName?: string;
}

/**
 * A provider's sign-in without a browser. `googleSignIn()` and `appleSignIn()` return implementations; an app can also
 * implement it with another package.
 */
export interface NativeSignIn {
  /** Returns false if the device does not support it. The sign-in then uses the browser. */
  isAvailable(): Promise<boolean>;
  /**
   * Signs in. Returns null if the customer cancels.
   * @param nonce a random string for the token's `nonce` claim
   */
  signIn(nonce: string): Promise<NativeProof | null>;
}
