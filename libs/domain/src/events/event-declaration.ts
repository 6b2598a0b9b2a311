import type { CustomerNotice } from '../mails/customer-notices.js';
import type { JsonSchema, Members } from '../values/json-schema.js';

/**
 * The entry kinds in the customer timeline. `webhook` selects the events that were sent to endpoints, whatever their
 * type.
 */
export const timelineKinds = ['sign_in', 'session', 'account', 'security', 'mail', 'webhook'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** The presentation for an event or an action in the customer timeline. */
export interface TimelineDeclaration {
  /** Absent for a change that the timeline excludes: another entry describes the same change, or no customer has it. */
  timeline?: TimelineKind;
  /** The entry's sentence. Absent if it depends on the entry's details. */
  label?: string;
}

/** An example's time, in ISO 8601, and its `data`. */
export type EventExample = readonly [at: string, data: Record<string, unknown>];

/** Everything that an event type determines. Documents, schemas, screens and tests derive from it. */
export interface EventDeclaration<Action extends string = string> extends TimelineDeclaration {
  /** Completes the sentence "Emitted when …". */
  cause: string;
  /** True if `*` excludes the type, which then requires an explicit subscription (contract, section 5). */
  named?: true;
  /** The members in `data`. */
  data: Members;
  example: EventExample;
  /** The audit log action that describes the same change. It has the same kind and sentence. */
  action?: Action;
  /** Other actions that can describe the same change, if one transaction records both. */
  otherActions?: readonly string[];
  /** The email that informs the customer. */
  mail?: CustomerNotice;
}

/** Declares a noun's events, and the audit log actions that describe the same changes. */
export const declareEvents = <Type extends string, Action extends string = never>(
  events: Readonly<Record<Type, EventDeclaration<Action>>>,
): typeof events => events;

/** Returns a reference to a resource's schema, by its noun. */
export const ref = (noun: string): JsonSchema => ({ $ref: `#/$defs/${noun}` });
