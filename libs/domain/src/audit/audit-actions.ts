import { alertActions } from '../alerts/alert.js';
import { apiKeyActions, apiKeyEvents } from '../api-keys/api-key.events.js';
import {
  customerActions,
  customerEvents,
  emailActions,
  emailEvents,
  passwordActions,
  passwordEvents,
} from '../customers/customer.events.js';
import type { EventDeclaration, TimelineDeclaration } from '../events/event-declaration.js';
import { factorEvents, recoveryCodeEvents } from '../factors/factor.events.js';
import { identityEvents, identityProviderActions } from '../identity-providers/identity-provider.events.js';
import { importActions } from '../imports/import-actions.js';
import { mailActions } from '../mails/mail.js';
import { operatorActions } from '../operators/operator-actions.js';
import { organizationActions, organizationEvents } from '../organizations/organization.events.js';
import { passkeyEvents } from '../passkeys/passkey.events.js';
import { projectActions, projectEvents, signingKeyActions } from '../projects/project.events.js';
import { sessionActions, sessionEvents, tokenEvents } from '../sessions/session.events.js';
import { webhookActions, webhookEvents } from '../webhooks/webhook.events.js';

type Declared<Action extends string> = Readonly<Record<Action, TimelineDeclaration>>;

/** Returns the actions that record the same changes as events. */
const collectActions = <Action extends string>(
  events: Readonly<Record<string, EventDeclaration<Action>>>,
): Declared<Action> =>
  Object.fromEntries(
    Object.values(events).flatMap(({ action, timeline, label }) =>
      action === undefined ? [] : [[action, { timeline, label }]],
    ),
  ) as Declared<Action>;

/** Declares actions that the customer timeline excludes. */
const withoutTimeline = <Action extends string>(actions: readonly Action[]): Declared<Action> =>
  Object.fromEntries(actions.map((action) => [action, {}])) as Declared<Action>;

/**
 * All audit log actions. Customer logins and token refreshes, including failed ones, are recorded as events instead.
 */
export const auditActions = {
  ...collectActions(organizationEvents),
  ...withoutTimeline(organizationActions),
  ...collectActions(projectEvents),
  ...withoutTimeline(projectActions),
  ...withoutTimeline(identityProviderActions),
  ...collectActions(apiKeyEvents),
  ...withoutTimeline(apiKeyActions),
  ...collectActions(customerEvents),
  ...customerActions,
  ...collectActions(sessionEvents),
  ...sessionActions,
  ...collectActions(tokenEvents),
  ...collectActions(factorEvents),
  ...collectActions(passkeyEvents),
  ...collectActions(identityEvents),
  ...collectActions(recoveryCodeEvents),
  ...collectActions(passwordEvents),
  ...passwordActions,
  ...collectActions(emailEvents),
  ...emailActions,
  ...withoutTimeline(importActions),
  ...collectActions(webhookEvents),
  ...withoutTimeline(webhookActions),
  ...withoutTimeline(signingKeyActions),
  ...withoutTimeline(operatorActions),
  ...withoutTimeline(mailActions),
  ...withoutTimeline(alertActions),
};

export type AuditAction = keyof typeof auditActions;

type TargetOf<Action extends string> = Action extends `${infer Target}.${string}` ? Target : never;

/** The object type in an audit log entry: the part of the action before the dot. */
export type AuditTargetType = TargetOf<AuditAction>;

/** Returns an action's object type, such as `customer` for `customer.created`. */
export const targetTypeOf = (action: AuditAction): AuditTargetType =>
  action.split('.', 1)[0] as AuditTargetType;

export const auditTargetTypes = [...new Set((Object.keys(auditActions) as AuditAction[]).map(targetTypeOf))];

/**
 * The actor types. `key` is a server with a secret key, `support` a session that was opened with a sign-in token, and
 * `system` Gatehouse itself.
 */
export const auditActorTypes = ['key', 'operator', 'customer', 'support', 'system'] as const;
export type AuditActorType = (typeof auditActorTypes)[number];

/**
 * The actor of an action. Gatehouse itself has no id. The id of `support` is the key that created the sign-in token, or
 * null in a session that an earlier version opened.
 */
export type AuditActor =
  | { type: Exclude<AuditActorType, 'support' | 'system'>; id: string }
  | { type: 'support'; id: string | null }
  | { type: 'system'; id: null };

/**
 * Returns the actions that match a filter: the action with this name, or all actions of a noun for a filter such as
 * `customer.*`. Returns no actions for any other string.
 */
export function matchingAuditActions(filter: string): AuditAction[] {
  const actions = Object.keys(auditActions) as AuditAction[];
  const noun = /^([a-z_]+\.)\*$/.exec(filter)?.[1];
  return actions.filter((action) => (noun ? action.startsWith(noun) : action === filter));
}
