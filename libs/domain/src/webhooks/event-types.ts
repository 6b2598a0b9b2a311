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
  'email.changed': { cause: 'a customer has another e-mail address, confirmed at both' },
  'token.reuse_detected': { cause: 'a spent refresh token came back, so its session was revoked' },
  'project.updated': { cause: 'the name or the settings of a project changed' },
} as const satisfies Record<string, { cause: string; named?: boolean }>;

export type EventType = keyof typeof eventTypes;

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

/** The part before the first dot: `customer` of `customer.created`. */
const nounOf = (type: string): string => type.split('.', 1)[0]!;

const nouns = new Set(Object.keys(eventTypes).map(nounOf));

/** Whether an endpoint may list this text in `events`: a known type, `noun.*` of a known noun, or `*`. */
export const isSubscription = (text: string): boolean =>
  text === '*' || isEventType(text) || (text.endsWith('.*') && nouns.has(text.slice(0, -2)));

/** The entries of an endpoint's `events` that this type answers to. */
export function matchingSubscriptions(type: EventType): string[] {
  const entry: { cause: string; named?: boolean } = eventTypes[type];
  const exact = [type, `${nounOf(type)}.*`];
  return entry.named ? exact : [...exact, '*'];
}
