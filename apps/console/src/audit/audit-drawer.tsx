import { Drawer, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useGet } from '../http/queries';
import { PropertyList } from '../components/property-list';
import { UntrustedText } from '../components/untrusted-text';
import { Id } from '../components/id';
import { JsonView } from '../components/json-view';
import { QueryContent } from '../components/query-content';
import { OrganizationName, ProjectName } from '../components/record-name';
import { AbsoluteTime } from '../components/absolute-time';
import type { AuditEntry } from './audit-actions';
import { AuditActor, AuditTarget } from './audit-cells';
import { AuditChanges } from './audit-changes';

interface AuditDrawerProps {
  /** The entry's ID; null if the drawer is closed. */
  id: string | null;
  /** The entry, if the list has loaded it. */
  initialEntry: AuditEntry | undefined;
  onClose: () => void;
}

/** Renders all fields of an entry in a drawer beside the list. */
export function AuditDrawer({ id, initialEntry, onClose }: AuditDrawerProps): ReactNode {
  const query = useGet(
    '/operator/v1/audit-log/{entryId}',
    { path: { entryId: id ?? '' } },
    { enabled: id !== null && !initialEntry },
  );
  const entry = initialEntry ?? query.data;
  return (
    <Drawer
      opened={id !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={entry?.action ?? 'Audit log entry'}
    >
      {initialEntry ? (
        <EntryDetails entry={initialEntry} />
      ) : (
        id !== null && <QueryContent query={query}>{(data) => <EntryDetails entry={data} />}</QueryContent>
      )}
    </Drawer>
  );
}

function EntryDetails({ entry }: { entry: AuditEntry }): ReactNode {
  const { changes: _, ...otherDetails } = entry.details;
  return (
    <Stack>
      <PropertyList items={toProperties(entry)} />
      <AuditChanges details={entry.details} />
      <JsonView name="Details" value={otherDetails} />
    </Stack>
  );
}

function toProperties(entry: AuditEntry): Record<string, ReactNode> {
  return {
    Time: <AbsoluteTime at={entry.createdAt} />,
    Actor: <AuditActor entry={entry} />,
    'Actor ID': <Id id={entry.actorId} />,
    Target: <AuditTarget entry={entry} />,
    'Target ID': <Id id={entry.targetId} />,
    Project: <ProjectName id={entry.projectId} link fallback="None" />,
    Organization: <OrganizationName id={entry.organizationId} link fallback="None" />,
    'IP address': <UntrustedText text={entry.ip} mono />,
    'Request ID': <Id id={entry.requestId} />,
    'User agent': <UntrustedText text={entry.userAgent} />,
  };
}
