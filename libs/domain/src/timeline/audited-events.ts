import type { EventDeclaration } from '../events/event-declaration.js';
import { eventTypes } from '../webhooks/event-types.js';

/** Returns whether an audit log entry of the same transaction describes the same change as an event. */
export function isAuditedAs(type: string, action: string): boolean {
  const event = (eventTypes as Partial<Record<string, EventDeclaration>>)[type];
  return event?.action === action || (event?.otherActions?.includes(action) ?? false);
}
