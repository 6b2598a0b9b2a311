/** The entry in the event type list that represents all custom types. */
export const ALL_CUSTOM_EVENTS = 'app.*';

/** Returns true for a type that servers may choose for their own events. */
export const isCustomEventType = (text: string): boolean =>
  text.length <= 128 && /^app(\.[a-z0-9_]+)+$/.test(text);
