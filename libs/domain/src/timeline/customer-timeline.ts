import { auditActions } from '../audit/audit-actions.js';
import type { EventDeclaration, TimelineDeclaration, TimelineKind } from '../events/event-declaration.js';
import { customerEventTypes } from '../event-catalog/event-types.js';

type Declarations = Partial<Record<string, TimelineDeclaration>>;

const events: Partial<Record<string, EventDeclaration>> = customerEventTypes;
const actions: Declarations = auditActions;

/**
 * Returns the kind of an event in the timeline, or null if another entry describes the same change: the sign-in or the
 * registration describes `session.created`, and the email describes a requested email.
 */
export const eventKind = (type: string): TimelineKind | null => events[type]?.timeline ?? null;

/** Returns the kind of an audit log entry in the timeline. */
export const actionKind = (action: string): TimelineKind => actions[action]?.timeline ?? 'account';

/** Returns whether an audit log entry of the same transaction describes the same change as an event. */
export function isAuditedAs(type: string, action: string): boolean {
  const event = events[type];
  return event?.action === action || (event?.otherActions?.includes(action) ?? false);
}

/** Returns the event types that are entries of these kinds. */
export const timelineEventTypes = (kinds: readonly TimelineKind[]): string[] => namesOfKinds(events, kinds);

/** Returns the actions of the audit log that are entries of these kinds. */
export const timelineActions = (kinds: readonly TimelineKind[]): string[] => namesOfKinds(actions, kinds);

/** The sentences of events and actions, by name, without those that depend on the details of the entry. */
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
