import { Drawer, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useGet } from '../http/queries';
import { Facts } from '../parts/facts';
import { ForeignText } from '../parts/foreign-text';
import { Id } from '../parts/id';
import { JsonView } from '../parts/json-view';
import { Loaded } from '../parts/loaded';
import { OrganizationName, ProjectName } from '../parts/record-name';
import { utcTime } from '../parts/time';
import { placeOfTarget, type AuditEntry } from './audit-actions';
import { Actor } from './audit-parts';

interface AuditDrawerProps {
  /** Null: none is open. */
  id: string | null;
  /** The entry, where the list holds it. */
  listed: AuditEntry | undefined;
  onClose: () => void;
}

/** All that an entry says, beside the list. */
export function AuditDrawer({ id, listed, onClose }: AuditDrawerProps): ReactNode {
  const found = useGet(
    '/operator/v1/audit-log/{entryId}',
    { path: { entryId: id ?? '' } },
    { enabled: id !== null && !listed },
  );
  const entry = listed ?? found.data;
  return (
    <Drawer
      opened={id !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={entry?.action ?? 'Audit log entry'}
    >
      {listed ? (
        <EntryDetails entry={listed} />
      ) : (
        id !== null && <Loaded query={found}>{(answer) => <EntryDetails entry={answer} />}</Loaded>
      )}
    </Drawer>
  );
}

function EntryDetails({ entry }: { entry: AuditEntry }): ReactNode {
  return (
    <Stack>
      <Facts of={factsOf(entry)} />
      <JsonView name="Details" value={entry.details} />
    </Stack>
  );
}

function factsOf(entry: AuditEntry): Record<string, ReactNode> {
  return {
    Time: utcTime(entry.createdAt),
    Actor: <Actor entry={entry} />,
    'Actor ID': <Id id={entry.actorId} />,
    Target: <Id id={entry.targetId} to={placeOfTarget(entry) ?? undefined} />,
    Project: <ProjectName id={entry.projectId} link none="None" />,
    Organization: <OrganizationName id={entry.organizationId} link none="None" />,
    'IP address': <ForeignText text={entry.ip} mono />,
    'Request ID': <Id id={entry.requestId} />,
    'User agent': <ForeignText text={entry.userAgent} />,
  };
}
