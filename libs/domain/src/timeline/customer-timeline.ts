import { auditActions } from '../audit/audit-actions.js';
import type { EventDeclaration, TimelineDeclaration, TimelineKind } from '../events/event-declaration.js';
import { customerEventTypes } from '../event-catalog/event-types.js';

type Declarations = Partial<Record<string, TimelineDeclaration>>;

const events: Partial<Record<string, EventDeclaration>> = customerEventTypes;
const actions: Declarations = auditActions;

/**
 * Returns an event's kind in the timeline, or null if another entry describes the same change: the sign-in or the
 * registration describes `session.created`, and the email describes a requested email.
 */
export const eventKind = (type: string): TimelineKind | null => events[type]?.timeline ?? null;

/** Returns an audit log entry's kind in the timeline. */
export const actionKind = (action: string): TimelineKind => actions[action]?.timeline ?? 'account';

/** Returns whether an audit log entry from the same transaction describes the same change as an event. */
export function isAuditedAs(type: string, action: string): boolean {
  const event = events[type];
  return event?.action === action || (event?.otherActions?.includes(action) ?? false);
}

/** Returns the event types whose entries have these kinds. */
export const timelineEventTypes = (kinds: readonly TimelineKind[]): string[] => namesOfKinds(events, kinds);

/** Returns the audit log actions whose entries have these kinds. */
export const timelineActions = (kinds: readonly TimelineKind[]): string[] => namesOfKinds(actions, kinds);

/** The sentences for events and actions, by name, without sentences that depend on the entry's details. */
export const timelineLabels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...actions, ...events }).flatMap(([name, declared]) =>
    declared?.label === undefined ? [] : [[name, declared.label]],
  ),
);

const namesOfKinds = (declarations: Declarations, kinds: readonly TimelineKind[]): string[] =>
  Object.keys(declarations).filter((name) => {
    const kind = declarations[name]?.timeline;
    return kind !== undefined && kinds.includes(kind);
  });
