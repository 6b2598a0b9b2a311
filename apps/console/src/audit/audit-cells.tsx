import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useOperator } from '../session/session';
import { actorLabels } from './actor-labels';
import { UntrustedText } from '../components/untrusted-text';
import { Id, shortId } from '../components/id';
import { isDeletedTarget, targetPath, targetTypes, type AuditEntry } from './audit-actions';

/** Renders the actor's type and name, or the short ID if the actor has no name. */
export function AuditActor({ entry }: { entry: AuditEntry }): ReactNode {
  const currentOperator = useOperator();
  const { actorType: type, actorId: id } = entry;
  if (!id) return actorLabels[type];
  const name = entry.actorName ?? (id === currentOperator.id ? currentOperator.email : shortId(id));
  const text = <UntrustedText text={`${actorLabels[type]} ${name}`} oneLine />;
  if (type !== 'customer') return text;
  return (
    <Anchor component={Link} to={`/customers/${id}`} inherit>
      {text}
    </Anchor>
  );
}

/** Renders the target's type and its name or ID, linked to its screen unless it has been deleted. */
export function AuditTarget({ entry }: { entry: AuditEntry }): ReactNode {
  const isDeleted = isDeletedTarget(entry);
  const to = (!isDeleted && targetPath(entry)) || undefined;
  const type = targetTypes[entry.targetType] ?? entry.targetType;
  if (entry.targetName !== null) {
    const text = <UntrustedText text={`${type} ${entry.targetName}`} oneLine />;
    if (!to) return text;
    return (
      <Anchor component={Link} to={to} inherit>
        {text}
      </Anchor>
    );
  }
  return (
    <Group gap={6} wrap="nowrap" component="span" display="inline-flex">
      {isDeleted ? `Deleted ${type.toLowerCase()}` : type}
      <Id id={entry.targetId} to={to} short copy={false} />
    </Group>
  );
}

/** Formats details as "changed: firstName · outcome: refused". The drawer shows the old and new values. */
export function formatDetails(details: AuditEntry['details']): string {
  const formatValue = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(formatValue).join(', ');
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return Object.entries(details)
    .filter(([name]) => name !== 'changes')
    .map(([name, value]) => `${name}: ${formatValue(value)}`)
    .join(' · ');
}
