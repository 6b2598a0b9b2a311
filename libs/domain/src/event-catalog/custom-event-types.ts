/** An event type that servers send with `POST /v1/events`. */
export type CustomEventType = `app.${string}`;

/** The prefix of every custom type. No built-in type has this prefix. */
export const CUSTOM_EVENT_PREFIX = 'app.';

/** The subscription or filter that includes every custom type, regardless of how many segments it has. */
export const ALL_CUSTOM_EVENTS = 'app.*';

export const MAX_CUSTOM_EVENT_TYPE_LENGTH = 128;

export const customEventTypePattern = /^app(\.[a-z0-9_]+)+$/;

/** Returns whether a server may send events of this type (contract, section 4). */
export const isCustomEventType = (text: string): text is CustomEventType =>
  text.length <= MAX_CUSTOM_EVENT_TYPE_LENGTH && customEventTypePattern.test(text);
