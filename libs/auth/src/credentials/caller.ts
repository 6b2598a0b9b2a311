import type {
  Access,
  Customer,
  OperatorRole,
  OperatorSignInMethod,
  ProjectContext,
  ProjectLimits,
  AccessScope,
  Scope,
  SupportAccess,
} from '@gatehouse/domain';

/** A server that sent a secret key. */
export interface SecretKeyCaller {
  kind: 'secret-key';
  keyId: string;
  access: Access;
  scopes: Scope[];
  /** Maximum requests per second; null for the default. */
  rateLimit: number | null;
  project: ProjectContext;
  accessScope: AccessScope;
}

/** A page or app that sent a publishable key. */
export interface PublishableKeyCaller {
  kind: 'publishable-key';
  keyId: string;
  project: ProjectContext;
}

/** A customer who sent an access token. */
export interface CustomerCaller {
  kind: 'access-token';
  customer: Customer;
  /** The limits of the customer's project. */
  limits: ProjectLimits;
  sessionId: string;
  /** The key and the reason behind a session that a sign-in token opened; null in the customer's own sessions. */
  support: SupportAccess | null;
}

/** An operator who is signed in to the console. */
export interface OperatorCaller {
  kind: 'operator';
  operatorId: string;
  email: string;
  role: OperatorRole;
  sessionId: string;
  method: OperatorSignInMethod;
  /** False if the operator has no second factor and signed in with a password, which only development allows. */
  hasSecondFactor: boolean;
  /** True if the operator was verified again in this session within the last five minutes. */
  isReauthenticated: boolean;
  /**
   * On routes that also accept a secret key, an operator is treated like a key with these scopes and access to all
   * organizations within `accessScope`.
   */
  scopes: readonly Scope[];
  access: Access;
  project: null;
  accessScope: AccessScope;
}

/** A caller with management permissions: a server or an operator. */
export type ManagementCaller = SecretKeyCaller | OperatorCaller;

/** Returns the caller's name, which is stored with the caller's actions. */
export const callerName = (caller: ManagementCaller): string =>
  caller.kind === 'operator' ? `operator:${caller.operatorId}` : `key:${caller.keyId}`;

export type Caller = SecretKeyCaller | PublishableKeyCaller | CustomerCaller | OperatorCaller;
export type CallerKind = Caller['kind'];
export type KeyCaller = SecretKeyCaller | PublishableKeyCaller;
