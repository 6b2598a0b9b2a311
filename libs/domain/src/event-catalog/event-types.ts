import { apiKeyEvents } from '../api-keys/api-key.events.js';
import { customerEvents, emailEvents, passwordEvents } from '../customers/customer.events.js';
import type { EventDeclaration } from '../events/event-declaration.js';
import { factorEvents, recoveryCodeEvents } from '../factors/factor.events.js';
import { identityEvents } from '../identity-providers/identity-provider.events.js';
import { organizationEvents } from '../organizations/organization.events.js';
import { passkeyEvents } from '../passkeys/passkey.events.js';
import { projectEvents } from '../projects/project.events.js';
import { sessionEvents, tokenEvents } from '../sessions/session.events.js';
import { ALL_CUSTOM_EVENTS, isCustomEventType, type CustomEventType } from './custom-event-types.js';
import { webhookEvents } from '../webhooks/webhook.events.js';

/** The event types that concern customers. */
export const customerEventTypes = {
  ...customerEvents,
  ...sessionEvents,
  ...passwordEvents,
  ...emailEvents,
  ...factorEvents,
  ...recoveryCodeEvents,
  ...passkeyEvents,
  ...identityEvents,
  ...tokenEvents,
};

export type CustomerEventType = keyof typeof customerEventTypes;

/** All built-in event types, in the order in which the documentation lists them. */
export const eventTypes = {
  ...customerEventTypes,
  ...organizationEvents,
  ...projectEvents,
  ...apiKeyEvents,
  ...webhookEvents,
} satisfies Record<string, EventDeclaration>;

export type EventType = keyof typeof eventTypes;

/** A built-in type or a custom type. */
export type AnyEventType = EventType | CustomEventType;

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

/**
 * Returns whether events of this type belong to no project and are delivered only to endpoints at organization level.
 */
export const isOrganizationEvent = (type: EventType): boolean => resourceName(type) === 'organization';

/** Returns whether events of this type concern an endpoint, which can belong to a project or to an organization. */
export const isEndpointEvent = (type: EventType): boolean => resourceName(type) === 'webhook';

/** Returns the part before the first dot: `customer` in `customer.created`. */
const resourceName = (type: string): string => type.split('.', 1)[0]!;

const resources = new Set([...Object.keys(eventTypes), ALL_CUSTOM_EVENTS].map(resourceName));

/**
 * Returns whether a delivery filter may contain this string: a built-in type, a custom type, or `app.*`. Wildcards are
 * allowed only for custom types, because these cannot be enumerated.
 */
export const isEventTypeFilter = (text: string): boolean =>
  isEventType(text) || isCustomEventType(text) || text === ALL_CUSTOM_EVENTS;

/**
 * Returns whether an endpoint may list this string in `events`: a built-in type, a custom type, `noun.*` with a known
 * noun, or `*`.
 */
export const isSubscription = (text: string): boolean =>
  text === '*' || isEventTypeFilter(text) || (text.endsWith('.*') && resources.has(text.slice(0, -2)));

/**
 * Returns the types that a list of subscriptions selects. `app.*` in the result stands for all custom types. Unlike in
 * an endpoint's `events`, `*` selects all types.
 */
export function matchingEventTypes(subscriptions: string[]): string[] {
  const types = (Object.keys(eventTypes) as EventType[]).filter((type) =>
    [type, `${resourceName(type)}.*`, '*'].some((entry) => subscriptions.includes(entry)),
  );
  return [...types, ...matchingCustomTypes(subscriptions)];
}

const matchingCustomTypes = (subscriptions: string[]): string[] =>
  subscriptions.includes('*') || subscriptions.includes(ALL_CUSTOM_EVENTS)
    ? [ALL_CUSTOM_EVENTS]
    : subscriptions.filter(isCustomEventType);

/** Returns whether `*` in an endpoint's `events` excludes the type. */
export const requiresNamedSubscription = (type: AnyEventType): boolean =>
  (eventTypes as Record<string, EventDeclaration>)[type]?.named ?? false;

/** Returns the entries in an endpoint's `events` that match this type. */
export function matchingSubscriptions(type: AnyEventType): string[] {
  const exact = [type, `${resourceName(type)}.*`];
  return requiresNamedSubscription(type) ? exact : [...exact, '*'];
}

/**
 * Returns the types that an endpoint with these `events` receives. `app.*` in the result stands for all custom types.
 * Test events are excluded, because each one is sent only to the endpoint for which it was requested.
 */
export function subscribedEventTypes(events: string[]): string[] {
  const types = (Object.keys(eventTypes) as EventType[]).filter(
    (type) => type !== 'webhook.test' && matchingSubscriptions(type).some((entry) => events.includes(entry)),
  );
  return [...types, ...matchingCustomTypes(events)];
}
