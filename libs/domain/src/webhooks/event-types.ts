/**
 * Every event type that Gatehouse emits today, with what causes it. `*` leaves out the types that are
 * marked `named`: those must be asked for by name (contract, section 5).
 */
export const eventTypes = {
  'customer.created': { cause: 'a customer registered' },
  'verification.requested': { cause: 'an e-mail with a verification link was written' },
  'verification.completed': { cause: 'a customer proved to own their e-mail address' },
  'session.created': { cause: 'a customer logged in or registered' },
  'session.revoked': { cause: 'a session ended before its time' },
  'login.succeeded': { cause: 'a customer logged in with the right password' },
  'login.failed': {
    cause: 'a wrong password was given for a customer; at most one a minute each',
    named: true,
  },
  'token.reuse_detected': { cause: 'a spent refresh token came back, so its session was revoked' },
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
