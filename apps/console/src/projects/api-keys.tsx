import { Button, Menu, ActionIcon, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCan } from '../app/roles';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { ForeignText } from '../parts/foreign-text';
import { Icon } from '../parts/icon';
import { RelativeTime } from '../parts/relative-time';
import { StatusBadge } from '../parts/status-badge';
import { KeyDetails, RevokeKey, RotateKey } from './api-key-dialogs';
import { maskOf, scopesInWords, stateOf, type ApiKey, type CreatedKey } from './api-key';
import { CreateKey } from './create-key';
import { KeyOnce } from './key-once';
import type { Project } from './project-form';

type Ask = { what: 'create' } | { what: 'rotate' | 'revoke' | 'details'; key: ApiKey };

const columns: Column<ApiKey>[] = [
  {
    header: 'Name',
    cell: (row) => (
      <Text component="span" fw={550}>
        <ForeignText text={row.name} />
      </Text>
    ),
  },
  { header: 'Value', cell: (row) => <ForeignText text={maskOf(row)} mono /> },
  {
    header: 'Access',
    wideOnly: true,
    cell: (row) => (row.access === 'organization' ? 'Organization' : 'Project'),
  },
  { header: 'Scopes', wideOnly: true, cell: (row) => scopesInWords(row) },
  { header: 'Status', cell: (row) => <StatusBadge state={stateOf(row)} /> },
  { header: 'Expires', align: 'right', cell: (row) => <RelativeTime at={row.expiresAt} none="Never" /> },
  { header: 'Last used', align: 'right', cell: (row) => <RelativeTime at={row.lastUsedAt} none="Never" /> },
];

/** The keys of a project: what they may, and how they begin and end. */
export function ApiKeys({ project }: { project: Project }): ReactNode {
  const canEdit = useCan('admin') && !project.archivedAt;
  const [ask, setAsk] = useState<Ask | null>(null);
  const [made, setMade] = useState<CreatedKey | null>(null);
  const list = useList({
    path: '/operator/v1/projects/{projectId}/api-keys',
    at: { projectId: project.id },
  });
  const close = (): void => setAsk(null);
  const create = canEdit && (
    <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setAsk({ what: 'create' })}>
      Create key
    </Button>
  );
  const actions: Column<ApiKey> = {
    header: 'Actions',
    align: 'right',
    cell: (row) => <KeyMenu of={row} canEdit={canEdit} onPick={(what) => setAsk({ what, key: row })} />,
  };
  return (
    <>
      <List
        list={list}
        noun="keys"
        columns={[...columns, actions]}
        toolbar={list.rows.length > 0 && create}
        empty={{
          title: 'No API keys yet',
          text: 'Servers use a secret key. Web pages and apps use a publishable key.',
          action: create,
        }}
      />
      {ask?.what === 'create' && <CreateKey project={project} onClose={close} onMade={setMade} />}
      {ask?.what === 'rotate' && <RotateKey of={ask.key} onClose={close} onMade={setMade} />}
      {ask?.what === 'revoke' && <RevokeKey of={ask.key} onClose={close} />}
      {ask?.what === 'details' && <KeyDetails of={ask.key} onClose={close} />}
      <KeyOnce made={made} onClose={() => setMade(null)} />
    </>
  );
}

interface KeyMenuProps {
  of: ApiKey;
  canEdit: boolean;
  onPick: (what: 'rotate' | 'revoke' | 'details') => void;
}

function KeyMenu({ of: key, canEdit, onPick }: KeyMenuProps): ReactNode {
  const isActive = stateOf(key) === 'active';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="sm" aria-label={`Actions for the key ${key.name}`}>
          <Icon name="dots" size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onPick('details')}>Details</Menu.Item>
        {canEdit && isActive && <Menu.Item onClick={() => onPick('rotate')}>Rotate</Menu.Item>}
        {canEdit && isActive && (
          <Menu.Item c="var(--bad)" onClick={() => onPick('revoke')}>
            Revoke
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
