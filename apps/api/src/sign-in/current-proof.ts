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

/** Proof of identity that a customer signs in with. */
interface Proof {
  amr: AuthenticationMethod[];
  /** The identity provider with which the sign-in started. Default: none. */
  provider?: SignInProvider | null | undefined;
  /** The provider account to link to the customer after the last step of the sign-in. Default: none. */
  newIdentity?: ProviderProfile | null | undefined;
  /** Time at which the last proof was given. Default: now. */
  authTime?: Date | undefined;
  /** The sign-in token with which support staff sign in. Default: none. */
  support?: SupportAccess | undefined;
  /**
   * True for a session from another system. It requires no second factor, and its lifetime starts at `authTime`.
   * Default: false.
   */
  isMigrated?: boolean | undefined;
  /** The allowance against which this sign-in's password attempt was counted. Default: none. */
  attempt?: LoginAllowance | undefined;
}

/**
 * A proof of identity that no event has revoked. `SignInService.complete` accepts nothing else, so that no sign-in
 * method can omit the check (requirement EX-01).
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
   * Returns the proof of a customer whom the transaction has locked, or null if access has been revoked since. Must
   * precede every change that the proof permits, because `AccountLifecycleService.claim` is itself a revocation. The
   * proof of a disabled customer is returned: the sign-in then rejects the customer as disabled.
   * @param issuedAt time at which the proof was given, or at which its code, flow or challenge was issued
   */
  static verify(customer: CustomerForUpdate, issuedAt: Date, proof: Proof): CurrentProof | null {
    return !customer.disabledAt && isRevoked(customer, issuedAt) ? null : new CurrentProof(proof);
  }

  /** Returns the proof of a customer whom the transaction has created. */
  static forNewCustomer(proof: Proof): CurrentProof {
    return new CurrentProof(proof);
  }

  /** Returns the proof with the additional methods of a second step that has just been completed. */
  withMethods(methods: AuthenticationMethod[]): CurrentProof {
    const { provider, newIdentity, attempt } = this;
    return new CurrentProof({ amr: addMethods(this.amr, methods), provider, newIdentity, attempt });
  }
}
