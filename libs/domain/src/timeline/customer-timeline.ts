import { auditActions } from '../audit/audit-actions.js';
import type { EventDeclaration, TimelineDeclaration, TimelineKind } from '../events/event-declaration.js';
import { customerEventTypes } from '../event-catalog/event-types.js';

type Declarations = Partial<Record<string, TimelineDeclaration>>;

const events: Partial<Record<string, EventDeclaration>> = customerEventTypes;
const actions: Declarations = auditActions;

/**
 * Returns the timeline kind of an event, or null if another entry describes the same change. For example, the sign-in
 * or registration entry covers `session.created`, and the email entry covers an event about a requested email.
 */
export const eventKind = (type: string): TimelineKind | null => events[type]?.timeline ?? null;

/** Returns the timeline kind of an audit log action. */
export const actionKind = (action: string): TimelineKind => actions[action]?.timeline ?? 'account';

/** Returns whether an audit log entry from the same transaction records the same change as an event. */
export function isAuditedAs(type: string, action: string): boolean {
  const event = events[type];
  return event?.action === action || (event?.otherActions?.includes(action) ?? false);
}

/** Returns the event types of these kinds. */
export const timelineEventTypes = (kinds: readonly TimelineKind[]): string[] => listNames(events, kinds);

/** Returns the audit log actions of these kinds. */
export const timelineActions = (kinds: readonly TimelineKind[]): string[] => listNames(actions, kinds);

/** The labels of events and actions, by name, except labels that depend on the entry's details. */
export const timelineLabels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...actions, ...events }).flatMap(([name, declared]) =>
    declared?.label === undefined ? [] : [[name, declared.label]],
  ),
);

const listNames = (declarations: Declarations, kinds: readonly TimelineKind[]): string[] =>
  Object.keys(declarations).filter((name) => {
    const kind = declarations[name]?.timeline;
    return kind !== undefined && kinds.includes(kind);
  });
