import type { Access, Customer, ProjectContext, Reach, Scope } from '#domain';

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

export type Caller = SecretKeyCaller | PublishableKeyCaller | CustomerCaller;
export type CallerKind = Caller['kind'];
export type KeyCaller = SecretKeyCaller | PublishableKeyCaller;
