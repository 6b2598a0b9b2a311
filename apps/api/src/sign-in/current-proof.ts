import {
  addMethods,
  isRevoked,
  type AuthenticationMethod,
  type IdentityProvider,
  type ProviderProfile,
  type SupportAccess,
} from '@gatehouse/domain';
import type { CustomerForUpdate, LoginAllowance } from '@gatehouse/persistence';

/** An identity provider in a sign-in. */
export type SignInProvider = Pick<IdentityProvider, 'id' | 'slug' | 'enabled'>;

/** The proof of identity with which a customer signs in. */
interface Proof {
  amr: AuthenticationMethod[];
  /** The identity provider with which the sign-in began. Default: none. */
  provider?: SignInProvider | null | undefined;
  /** The person at the provider who is linked to the customer once nothing else has to be proven. Default: none. */
  newIdentity?: ProviderProfile | null | undefined;
  /** Time at which the last proof was given. Default: now. */
  authTime?: Date | undefined;
  /** The sign-in token with which support signs in. Default: none. */
  support?: SupportAccess | undefined;
  /**
   * True for a session from another system: no second factor is required, and its lifetime counts from `authTime`.
   * Default: false.
   */
  isMigrated?: boolean | undefined;
  /** The allowance from which an attempt at the password was counted for this sign-in itself. Default: none. */
  attempt?: LoginAllowance | undefined;
}

/**
 * A proof of identity that no event has revoked. `SignInService.complete` accepts no other, so that no sign-in method
 * can omit the check (requirement EX-01).
 */
export class CurrentProof implements Proof {
  readonly amr: AuthenticationMethod[];
  readonly provider: SignInProvider | null;
  readonly newIdentity: ProviderProfile | null;
  readonly authTime: Date | undefined;
  readonly support: SupportAccess | undefined;
  readonly isMigrated: boolean;
  readonly attempt: LoginAllowance | undefined;

  private constructor({
    amr,
    provider = null,
    newIdentity = null,
    authTime,
    support,
    isMigrated = false,
    attempt,
  }: Proof) {
    this.amr = amr;
    this.provider = provider;
    this.newIdentity = newIdentity;
    this.authTime = authTime;
    this.support = support;
    this.isMigrated = isMigrated;
    this.attempt = attempt;
  }

  /**
   * Returns the proof for a customer whom the transaction has locked, or null if access was revoked since. Must
   * precede every change that the proof permits: `AccountLifecycleService.claim` is a revocation itself. A disabled
   * customer's proof is returned, because the sign-in rejects the customer as disabled.
   * @param issuedAt when the proof was given, or when the code, flow or challenge that it belongs to was issued
   */
  static of(customer: CustomerForUpdate, issuedAt: Date, proof: Proof): CurrentProof | null {
    return !customer.disabledAt && isRevoked(customer, issuedAt) ? null : new CurrentProof(proof);
  }

  /** Returns the proof for a customer whom the transaction has created. */
  static ofNewCustomer(proof: Proof): CurrentProof {
    return new CurrentProof(proof);
  }

  /** Returns the proof together with the methods from a second step, which has just been given. */
  withMethods(methods: AuthenticationMethod[]): CurrentProof {
    const { provider, newIdentity, attempt } = this;
    return new CurrentProof({ amr: addMethods(this.amr, methods), provider, newIdentity, attempt });
  }
}
