import type { CustomerNotice } from '../mails/customer-notices.js';
import type { JsonSchema, Members } from '../values/json-schema.js';

/**
 * The kinds of entries in the customer timeline. `webhook` selects the events of any type that were sent to endpoints.
 */
export const timelineKinds = ['sign_in', 'session', 'account', 'security', 'mail', 'webhook'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** The presentation of an event or an action in the customer timeline. */
export interface TimelineDeclaration {
  /**
   * Absent if the timeline excludes the change, because another entry describes it or it does not concern a customer.
   */
  timeline?: TimelineKind;
  /** The entry's label. Absent if it depends on the entry's details. */
  label?: string;
}

/** The time of an example in ISO 8601, and its `data`. */
export type EventExample = readonly [at: string, data: Record<string, unknown>];

/** An event type's definition, from which documentation, schemas, console pages and tests are derived. */
export interface EventDeclaration<Action extends string = string> extends TimelineDeclaration {
  /** Completes the sentence "Emitted when …". */
  cause: string;
  /** True if `*` excludes the type, which then requires an explicit subscription (contract, section 5). */
  named?: true;
  /** The members of `data`. */
  data: Members;
  example: EventExample;
  /** The audit log action that records the same change. It has the same kind and label. */
  action?: Action;
  /** Other actions that record the same change if they are written in the same transaction. */
  otherActions?: readonly string[];
  /** The email that informs the customer. */
  mail?: CustomerNotice;
}

/** Declares the events of a noun, and the audit log actions that record the same changes. */
export const declareEvents = <Type extends string, Action extends string = never>(
  events: Readonly<Record<Type, EventDeclaration<Action>>>,
): typeof events => events;

/** Returns a reference to a resource's schema. */
export const ref = (noun: string): JsonSchema => ({ $ref: `#/$defs/${noun}` });
