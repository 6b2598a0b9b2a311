import { ALL_CUSTOM_EVENTS, isCustomEventType, type CustomEventType } from './custom-event-types.js';

/**
 * All event types of Gatehouse with their causes. `*` excludes the types that are marked `named`, which require an
 * explicit subscription (contract, section 5).
 */
export const eventTypes = {
  'customer.created': {
    cause: 'a customer registered, moved from another system, or was created through the API',
  },
  'customer.updated': { cause: 'a customer was updated. previous contains the previous values' },
  'customer.deleted': { cause: 'a customer was deleted. Contains ids only' },
  'customer.disabled': { cause: 'a customer was disabled' },
  'customer.enabled': { cause: 'a disabled customer was enabled' },
  'customer.locked': {
    cause:
      'too many sign-ins of a customer failed. Until the lock ends, the customer can sign in only from known addresses; after 100 consecutive failures, only with a new password',
  },
  'customer.unlocked': {
    cause:
      'a customer was unlocked through the API, by a password reset or by a sign-in from a known address',
  },
  'verification.requested': { cause: 'a verification email was queued' },
  'verification.completed': { cause: 'a customer verified their email address' },
  'session.created': { cause: 'a customer signed in or registered' },
  'session.revoked': { cause: 'a session was revoked before it expired' },
  'login.succeeded': { cause: 'a customer signed in' },
  'login.failed': {
    cause: 'a sign-in of a customer failed. `reason` is the cause. At most one event per customer and minute',
    named: true,
  },
  'password.changed': {
    cause:
      'a customer changed their password, an invited customer set their first password, or a disown or another proof of the address removed the password',
  },
  'password.reset_requested': { cause: 'a password reset email was queued' },
  'password.reset_completed': {
    cause: 'a customer set a new password with the link in a password reset email',
  },
  'email.changed': {
    cause: 'the email address of a customer changed, through the API or after confirmation at both addresses',
  },
  'factor.added': { cause: 'a customer enrolled a second factor' },
  'factor.removed': { cause: 'a second factor was removed, by the customer or through the API' },
  'recovery_codes.generated': {
    cause: 'a customer received new recovery codes, with the first second factor or later',
  },
  'recovery_codes.used': { cause: 'a customer used a recovery code in place of a second factor' },
  'passkey.added': { cause: 'a customer added a passkey' },
  'passkey.removed': { cause: 'a passkey was removed, by the customer or through the API' },
  'passkey.counter_anomaly': {
    cause:
      'the signature counter of a passkey did not increase, so a copy of it may be in use. The sign-in was rejected',
  },
  'identity.linked': { cause: 'a customer was linked to an account at an identity provider' },
  'identity.unlinked': {
    cause: 'an account at an identity provider was unlinked, by the customer or through the API',
  },
  'token.reuse_detected': { cause: 'a refresh token was reused, so its session was revoked' },
  'organization.created': {
    cause: 'an organization was created. Delivered to the organization that created it',
  },
  'organization.updated': { cause: 'an organization was updated. previous contains the previous values' },
  'project.created': { cause: 'a project was created' },
  'project.updated': { cause: 'the name or the settings of a project changed' },
  'project.archived': {
    cause: 'a project was archived. Its API keys and the tokens of its customers are rejected',
  },
  'api_key.created': { cause: 'a key was created' },
  'api_key.rotated': { cause: 'a key was rotated. rotatedFrom contains the id of the previous key' },
  'api_key.revoked': { cause: 'a key was revoked' },
  'api_key.expiring': {
    cause: 'a key expires within a week. Emitted once per key, and not for keys that were rotated',
  },
  'webhook.endpoint_disabled': {
    cause:
      'an endpoint was disabled, through the API or because all attempts had failed for three days. Not delivered to the endpoint itself',
    named: true,
  },
  'webhook.dead_lettered': {
    cause:
      'the last attempt of a delivery failed. Not delivered to the endpoint of that delivery, and not emitted for deliveries of webhook.* events',
    named: true,
  },
  'webhook.test': {
    cause: 'a test event was requested for an endpoint. Delivered to this endpoint only',
    named: true,
  },
} as const satisfies Record<string, { cause: string; named?: boolean }>;

export type EventType = keyof typeof eventTypes;

/** A type of Gatehouse or a custom type. */
export type AnyEventType = EventType | CustomEventType;

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

/**
 * Returns whether events of this type belong to no project and are delivered only to endpoints at
 * organization level.
 */
export const isOrganizationEvent = (type: EventType): boolean => resourceOf(type) === 'organization';

/**
 * Returns whether events of this type are about an endpoint, which can belong to a project or to an
 * organization.
 */
export const isEndpointEvent = (type: EventType): boolean => resourceOf(type) === 'webhook';

/** Returns the part before the first dot: `customer` of `customer.created`. */
const resourceOf = (type: string): string => type.split('.', 1)[0]!;

const resources = new Set([...Object.keys(eventTypes), ALL_CUSTOM_EVENTS].map(resourceOf));

/**
 * Returns whether a filter of deliveries may contain this text: a known type, a custom type, or `app.*`,
 * because only custom types cannot be listed one by one.
 */
export const isEventTypeFilter = (text: string): boolean =>
  isEventType(text) || isCustomEventType(text) || text === ALL_CUSTOM_EVENTS;

/**
 * Returns whether an endpoint may list this text in `events`: a known type, a custom type, `noun.*` of a known
 * noun, or `*`.
 */
export const isSubscription = (text: string): boolean =>
  text === '*' || isEventTypeFilter(text) || (text.endsWith('.*') && resources.has(text.slice(0, -2)));

/**
 * Returns the types that a list of subscriptions selects. `app.*` stands for all custom types. Here `*`
 * selects all types.
 */
export function matchingEventTypes(subscriptions: string[]): string[] {
  const types = (Object.keys(eventTypes) as EventType[]).filter((type) =>
    [type, `${resourceOf(type)}.*`, '*'].some((entry) => subscriptions.includes(entry)),
  );
  return [...types, ...matchingCustomTypes(subscriptions)];
}

const matchingCustomTypes = (subscriptions: string[]): string[] =>
  subscriptions.includes('*') || subscriptions.includes(ALL_CUSTOM_EVENTS)
    ? [ALL_CUSTOM_EVENTS]
    : subscriptions.filter(isCustomEventType);

/** Returns whether `*` of an endpoint excludes the type. */
export const isNamedOnly = (type: AnyEventType): boolean =>
  (eventTypes as Record<string, { named?: boolean }>)[type]?.named ?? false;

/** Returns the entries of an endpoint's `events` that match this type. */
export function matchingSubscriptions(type: AnyEventType): string[] {
  const exact = [type, `${resourceOf(type)}.*`];
  return isNamedOnly(type) ? exact : [...exact, '*'];
}

/**
 * Returns the types that an endpoint with these `events` receives. `app.*` stands for all custom types. Test
 * events are excluded, because each is sent only to the endpoint that it was requested for.
 */
export function subscribedEventTypes(events: string[]): string[] {
  const types = (Object.keys(eventTypes) as EventType[]).filter(
    (type) => type !== 'webhook.test' && matchingSubscriptions(type).some((entry) => events.includes(entry)),
  );
  return [...types, ...matchingCustomTypes(events)];
}
