import { Anchor, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useCommands } from '../commands/commands';
import { useCan } from '../session/roles';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { actorLabels } from '../audit/actor-labels';
import { Id, shortId } from '../components/id';
import { Page } from '../components/page';
import { PropertyList } from '../components/property-list';
import { QueryContent } from '../components/query-content';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import { formatScopes, keyState, maskKey, type ApiKey, type CreatedKey } from './api-key';
import { RevokeKey, RotateKey } from './api-key-dialogs';
import { NewKeyDialog } from './new-key-dialog';

type AuditEntry = Schemas['NamedAuditEntryResponse'];

/** The API key page: who created, rotated and revoked the key, and its permissions. */
export function ApiKeyScreen(): ReactNode {
  const { projectId = '', id: keyId = '' } = useParams();
  const query = useGet('/operator/v1/projects/{projectId}/api-keys/{keyId}', {
    path: { projectId, keyId },
  });
  const key = query.data;
  // Stored here, because the actions disappear when a key is rotated without overlap.
  const [createdKey, setCreatedKey] = useState<CreatedKey | null>(null);
  return (
    <Page
      title={key?.name ?? 'API key'}
      heading={
        key && (
          <Group gap="xs">
            <UntrustedText text={key.name} />
            <StatusBadge state={keyState(key)} />
          </Group>
        )
      }
      back={{ to: `/projects/${projectId}?tab=keys`, label: 'API keys' }}
      actions={key && keyState(key) === 'active' && <KeyActions apiKey={key} onCreated={setCreatedKey} />}
    >
      <QueryContent query={query}>{(found) => <KeyContent key={found.id} apiKey={found} />}</QueryContent>
      <NewKeyDialog
        projectId={projectId}
        keys={createdKey ? [createdKey] : []}
        onClose={() => setCreatedKey(null)}
      />
    </Page>
  );
}

function KeyActions({
  apiKey: key,
  onCreated,
}: {
  apiKey: ApiKey;
  onCreated: (key: CreatedKey) => void;
}): ReactNode {
  const canEdit = useCan('admin');
  const [openDialog, setOpenDialog] = useState<'rotate' | 'revoke' | null>(null);
  useCommands([
    { id: 'api_key.rotate', title: 'Rotate this key', role: 'admin', run: () => setOpenDialog('rotate') },
    { id: 'api_key.revoke', title: 'Revoke this key', role: 'admin', run: () => setOpenDialog('revoke') },
  ]);
  if (!canEdit) return null;
  const close = (): void => setOpenDialog(null);
  return (
    <>
      <Button variant="default" onClick={() => setOpenDialog('rotate')}>
        Rotate key
      </Button>
      <Button color="red" variant="light" onClick={() => setOpenDialog('revoke')}>
        Revoke key
      </Button>
      {openDialog === 'rotate' && <RotateKey apiKey={key} onClose={close} onCreated={onCreated} />}
      {openDialog === 'revoke' && <RevokeKey apiKey={key} onClose={close} />}
    </>
  );
}

/** Returns a key's audit log entries, newest first; undefined while they are loaded. */
function useKeyEntries(keyId: string | null): readonly AuditEntry[] | undefined {
  const query = useGet(
    '/operator/v1/audit-log',
    { query: { targetType: 'api_key', targetId: keyId ?? '', limit: 20 } },
    { enabled: keyId !== null },
  );
  return query.data?.data;
}

function KeyContent({ apiKey: key }: { apiKey: ApiKey }): ReactNode {
  const entries = useKeyEntries(key.id);
  const previousEntries = useKeyEntries(key.rotatedFrom);
  const revocation = entries?.find(({ action }) => action === 'api_key.revoked');
  const rotation = entries?.find(({ action }) => action === 'api_key.rotated');
  const creation =
    entries?.find(({ action }) => action === 'api_key.created') ??
    previousEntries?.find(({ details }) => details.successorId === key.id);
  const successorId = rotation?.details.successorId;
  return (
    <Stack>
      <Paper>
        <PropertyList
          items={{
            ...(key.revokedAt && {
              'Revoked by': <EntryActor entry={revocation} isLoaded={entries !== undefined} />,
              Revoked: <RelativeTime at={key.revokedAt} />,
            }),
            Key: <UntrustedText text={maskKey(key)} mono />,
            ID: <Id id={key.id} />,
            Project: <ProjectName id={key.projectId} link />,
            Type: key.type === 'secret' ? 'Secret' : 'Publishable',
            Access: key.access === 'organization' ? 'All projects of the organization' : 'This project',
            ...(key.type === 'secret' && { 'Requests per second': key.rateLimit ?? 'Default' }),
            'Created by': <EntryActor entry={creation} isLoaded={entries !== undefined} />,
            Created: <RelativeTime at={key.createdAt} />,
            'Last used': <RelativeTime at={key.lastUsedAt} fallback="Never" />,
            Expires: <RelativeTime at={key.expiresAt} fallback="Never" />,
            ...(key.rotatedFrom && { Replaces: <KeyLink projectId={key.projectId} id={key.rotatedFrom} /> }),
            ...(typeof successorId === 'string' && {
              'Replaced by': <KeyLink projectId={key.projectId} id={successorId} />,
            }),
          }}
        />
      </Paper>
      <Paper>
        <Title order={2} size="h4" mb="xs">
          Scopes
        </Title>
        <Group gap={6}>
          {key.scopes.length === 0
            ? formatScopes(key)
            : key.scopes.map((scope) => <Code key={scope}>{scope}</Code>)}
        </Group>
      </Paper>
      <KeyHistory keyId={key.id} entries={entries ?? []} />
    </Stack>
  );
}

/** Renders an audit log entry's actor, with a link to the entry. */
function EntryActor({ entry, isLoaded }: { entry: AuditEntry | undefined; isLoaded: boolean }): ReactNode {
  if (!entry) return isLoaded ? 'Not in the audit log' : '…';
  const { actorType, actorId, actorName } = entry;
  const name = actorName ?? (actorId ? shortId(actorId) : '');
  return (
    <Anchor component={Link} to={`/audit?targetId=${entry.targetId}&entry=${entry.id}`} inherit>
      <UntrustedText text={`${actorLabels[actorType]} ${name}`} />
    </Anchor>
  );
}

function KeyLink({ projectId, id }: { projectId: string; id: string }): ReactNode {
  const { data } = useGet('/operator/v1/projects/{projectId}/api-keys/{keyId}', {
    path: { projectId, keyId: id },
  });
  return (
    <Anchor component={Link} to={`/projects/${projectId}/keys/${id}`} inherit>
      <UntrustedText text={data ? `${data.name} ${maskKey(data)}` : shortId(id)} />
    </Anchor>
  );
}

function KeyHistory({ keyId, entries }: { keyId: string; entries: readonly AuditEntry[] }): ReactNode {
  return (
    <Paper>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Audit log
        </Title>
        <Button component={Link} to={`/audit?targetId=${keyId}`} variant="default" size="xs">
          Open in audit log
        </Button>
      </Group>
      {entries.length === 0 ? (
        <Text c="dimmed">No entries</Text>
      ) : (
        <Stack gap={6} component="ul" p={0} m={0}>
          {entries.map((entry) => (
            <Group key={entry.id} component="li" gap="xs">
              <Code>{entry.action}</Code>
              <EntryActor entry={entry} isLoaded />
              <RelativeTime at={entry.createdAt} />
            </Group>
          ))}
        </Stack>
      )}
    </Paper>
  );
}
