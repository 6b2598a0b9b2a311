import type { Client, ClientStorage, SignInResult } from '@gatehouse/js';
import type { CryptoModule } from './native-modules.js';
import type { NativeSignIn, PersonName } from './native-sign-in.js';

const NAME_KEY = 'gatehouse.name';

/** A name that has not been added to the customer's profile yet. */
interface PendingName {
  /** The customer's id at the provider. */
  user: string;
  name: PersonName;
}

export interface IdTokenSignInContext {
  client: Client;
  crypto: CryptoModule;
  storage: ClientStorage;
}

/**
 * Signs in with Google and Apple natively. Apple returns the customer's name only once, so the name is stored until the
 * sign-in is complete.
 */
export class IdTokenSignIn {
  /** The challenge token of a sign-in with a pending name. */
  private challenge: string | undefined;

  constructor(private readonly context: IdTokenSignInContext) {}

  /**
   * Signs in. Returns null if the customer cancels.
   * @param provider the provider's slug in the project
   * @throws GatehouseError, and errors from the native module
   */
  async signIn(provider: string, native: NativeSignIn): Promise<SignInResult | null> {
    const { client, crypto, storage } = this.context;
    const proof = await native.signIn(newNonce(crypto));
    if (!proof) return null;
    const { idToken, nonce, user, name } = proof;
    if (user && name) await storage.setItem(NAME_KEY, JSON.stringify({ user, name } satisfies PendingName));
    const result = await client.signIn.idToken({ provider, idToken, ...(nonce ? { nonce } : {}) });
    if (!user || (await this.pendingName())?.user !== user) return result;
    if ('challenge' in result) this.challenge = result.challenge.token;
    return this.addName(result);
  }

  /** Wraps the challenge functions so that completing a challenge also adds the pending name from its sign-in. */
  wrapChallenge(challenge: Client['challenge']): Client['challenge'] {
    const wrap =
      <Proof extends { token: string }>(complete: (proof: Proof) => Promise<SignInResult>) =>
      async (proof: Proof) => {
        const result = await complete(proof);
        return proof.token === this.challenge ? this.addName(result) : result;
      };
    return {
      ...challenge,
      totp: wrap(challenge.totp),
      recoveryCode: wrap(challenge.recoveryCode),
      passkey: wrap(challenge.passkey),
      enrollPasskey: wrap(challenge.enrollPasskey),
    };
  }

  /** Adds the pending name to the signed-in customer's profile, unless the profile already has a name. */
  private async addName(result: SignInResult): Promise<SignInResult> {
    const pending = await this.pendingName();
    if (result.status !== 'complete' || !pending) return result;
    this.challenge = undefined;
    const { customer } = result;
    const isNamed = customer.firstName !== null || customer.lastName !== null;
    try {
      if (!isNamed) await this.context.client.customer.update(pending.name);
      await this.context.storage.removeItem(NAME_KEY);
    } catch {
      return result; // The customer is signed in, and the next sign-in adds the name.
    }
    return isNamed ? result : { ...result, customer: { ...customer, ...pending.name } };
  }

  private async pendingName(): Promise<PendingName | null> {
    return JSON.parse((await this.context.storage.getItem(NAME_KEY)) ?? 'null') as PendingName | null;
  }
}

/** Returns 128 random bits in hexadecimal. */
function newNonce(crypto: CryptoModule): string {
  const bytes = new Uint8Array(16);
  crypto.getRandomValues(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
