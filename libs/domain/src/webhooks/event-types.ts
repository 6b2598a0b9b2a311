/**
 * Every event type that Gatehouse emits today, with what causes it. `*` leaves out the types that are
 * marked `named`: those must be asked for by name (contract, section 5).
 */
export const eventTypes = {
  'customer.created': { cause: 'a customer registered, or a server created one' },
  'customer.updated': { cause: 'something about a customer changed; previous holds what it was' },
  'customer.deleted': { cause: 'a customer was deleted, by a server or by themselves; ids only' },
  'customer.disabled': { cause: 'a server keeps a customer out' },
  'customer.enabled': { cause: 'a server lets a customer in again' },
  'customer.locked': { cause: 'too many logins failed: only addresses the customer used before may go on' },
  'customer.unlocked': { cause: 'a server, a password reset or a login from a known address ended a lock' },
  'verification.requested': { cause: 'an e-mail with a verification link was written' },
  'verification.completed': { cause: 'a customer proved to own their e-mail address' },
  'session.created': { cause: 'a customer logged in or registered' },
  'session.revoked': { cause: 'a session ended before its time' },
  'login.succeeded': { cause: 'a customer logged in with the right password' },
  'login.failed': {
    cause: 'a wrong password was given for a customer; at most one a minute each',
    named: true,
  },
  'password.changed': { cause: 'a customer changed their password, or an invited one set the first' },
  'password.reset_requested': { cause: 'an e-mail with a link to set a new password was written' },
  'password.reset_completed': { cause: 'a customer set a new password through an e-mailed link' },
  'email.changed': { cause: 'a customer has another e-mail address, confirmed at both or set by a server' },
  'token.reuse_detected': { cause: 'a spent refresh token came back, so its session was revoked' },
  'organization.created': { cause: 'an organization was created; told to the one that created it' },
  'organization.updated': { cause: 'something about an organization changed; previous holds what it was' },
  'project.created': { cause: 'a project was created' },
  'project.updated': { cause: 'the name or the settings of a project changed' },
  'project.archived': { cause: "a project was archived: its keys and its customers' tokens stopped" },
  'api_key.created': { cause: 'a key was created' },
  'api_key.rotated': { cause: 'a key took the place of another, which rotatedFrom names' },
  'api_key.revoked': { cause: 'a key was revoked' },
  'api_key.expiring': { cause: 'a key expires within a week; once each, and not for one that was rotated' },
  'webhook.endpoint_disabled': {
    cause:
      'an endpoint was disabled, by a server or after three days of nothing but failure; not told to itself',
    named: true,
  },
  'webhook.dead_lettered': {
    cause:
      'the last attempt of a delivery failed; not told to its own endpoint, nor of deliveries of webhook events',
    named: true,
  },
  'webhook.test': { cause: 'a test of an endpoint was asked for; told to this endpoint alone', named: true },
} as const satisfies Record<string, { cause: string; named?: boolean }>;

export type EventType = keyof typeof eventTypes;

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

/** Whether events of this type happen in no project: only endpoints of organization level hear them. */
export const isOfOrganization = (type: EventType): boolean => nounOf(type) === 'organization';

/** Whether events of this type are about an endpoint, which may be that of a project or of an organization. */
export const isOfEndpoint = (type: EventType): boolean => nounOf(type) === 'webhook';

/** The part before the first dot: `customer` of `customer.created`. */
const nounOf = (type: string): string => type.split('.', 1)[0]!;

const nouns = new Set(Object.keys(eventTypes).map(nounOf));

/** Whether an endpoint may list this text in `events`: a known type, `noun.*` of a known noun, or `*`. */
export const isSubscription = (text: string): boolean =>
  text === '*' || isEventType(text) || (text.endsWith('.*') && nouns.has(text.slice(0, -2)));

/** The types that a list of subscriptions names, `*` every one of them. */
export function matchingEventTypes(subscriptions: string[]): EventType[] {
  const types = Object.keys(eventTypes) as EventType[];
  return types.filter((type) =>
    [type, `${nounOf(type)}.*`, '*'].some((entry) => subscriptions.includes(entry)),
  );
}

/** Whether `*` of an endpoint leaves the type out. */
export const isNamedOnly = (type: EventType): boolean =>
  (eventTypes[type] as { named?: boolean }).named ?? false;

/** The entries of an endpoint's `events` that this type answers to. */
export function matchingSubscriptions(type: EventType): string[] {
  const exact = [type, `${nounOf(type)}.*`];
  return isNamedOnly(type) ? exact : [...exact, '*'];
}

/** The types that an endpoint with these `events` hears; a test is for the one endpoint that it was asked for. */
export const typesHeardBy = (events: string[]): EventType[] =>
  (Object.keys(eventTypes) as EventType[]).filter(
    (type) => type !== 'webhook.test' && matchingSubscriptions(type).some((entry) => events.includes(entry)),
  );
