import type { Access, Customer, OperatorRole, ProjectContext, Reach, Scope } from '@gatehouse/domain';

/** A server that called with a secret key. */
export interface SecretKeyCaller {
  kind: 'secret-key';
  keyId: string;
  access: Access;
  scopes: Scope[];
  project: ProjectContext;
  reach: Reach;
}

/** A page or app that called with a publishable key. */
export interface PublishableKeyCaller {
  kind: 'publishable-key';
  keyId: string;
  project: ProjectContext;
}

/** A customer who called with an access token. */
export interface CustomerCaller {
  kind: 'access-token';
  customer: Customer;
  sessionId: string;
}

/** One of the staff, signed in to the console. */
export interface OperatorCaller {
  kind: 'operator';
  operatorId: string;
  email: string;
  role: OperatorRole;
  sessionId: string;
  /** False while the operator has no authenticator, which only development allows. */
  hasSecondFactor: boolean;
  /** On the routes that a secret key opens too, an operator is like a key of the whole house with these scopes. */
  scopes: readonly Scope[];
  access: Access;
  project: null;
  reach: Reach;
}

/** Who manages a house: a server, or one of the staff. */
export type ManagementCaller = SecretKeyCaller | OperatorCaller;

/** Who acts, as it stands beside what they did. */
export const callerName = (caller: ManagementCaller): string =>
  caller.kind === 'operator' ? `operator:${caller.operatorId}` : `key:${caller.keyId}`;

export type Caller = SecretKeyCaller | PublishableKeyCaller | CustomerCaller | OperatorCaller;
export type CallerKind = Caller['kind'];
export type KeyCaller = SecretKeyCaller | PublishableKeyCaller;
