import { Button, Menu, ActionIcon } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useCan } from '../session/roles';
import { choiceFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { useUrlDialog } from '../components/use-url-dialog';
import { showInvisible } from '../components/visible-text';
import { RevokeKey, RotateKey } from './api-key-dialogs';
import { maskKey, formatScopes, keyPath, keyState, type ApiKey, type CreatedKey } from './api-key';
import { CreateKeys } from './create-keys';
import { NewKeyDialog } from './new-key-dialog';
import type { Project } from './use-project-form';

type KeyDialog = { kind: 'rotate' | 'revoke'; key: ApiKey };

const filters = {
  state: choiceFilter('Status', { active: 'Active', revoked: 'Revoked', expired: 'Expired' }),
};

const OTHER_PARAMS = ['tab', 'create'];

const columns: Column<ApiKey>[] = [
  {
    header: 'Name',
    primary: true,
    cell: (row) => <UntrustedText text={row.name} />,
  },
  { header: 'Value', cell: (row) => <UntrustedText text={maskKey(row)} mono /> },
  {
    header: 'Access',
    wideOnly: true,
    cell: (row) => (row.access === 'organization' ? 'Organization' : 'Project'),
  },
  { header: 'Scopes', wideOnly: true, cell: (row) => formatScopes(row) },
  { header: 'Status', cell: (row) => <StatusBadge state={keyState(row)} /> },
  { header: 'Expires', align: 'right', cell: (row) => <RelativeTime at={row.expiresAt} fallback="Never" /> },
  {
    header: 'Last used',
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastUsedAt} fallback="Never" />,
  },
];

/** Lists a project's keys with their scopes, and creates, rotates and revokes keys. */
export function ApiKeys({ project }: { project: Project }): ReactNode {
  const canEdit = useCan('admin') && !project.archivedAt;
  const creation = useUrlDialog('create');
  const [openDialog, setOpenDialog] = useState<KeyDialog | null>(null);
  const [createdKeys, setCreatedKeys] = useState<CreatedKey[]>([]);
  const addCreated = (key: CreatedKey): void => setCreatedKeys((keys) => [...keys, key]);
  const list = useList({
    path: '/operator/v1/projects/{projectId}/api-keys',
    pathParams: { projectId: project.id },
    filters,
    otherParams: OTHER_PARAMS,
  });
  const close = (): void => setOpenDialog(null);
  const create = canEdit && (
    <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={creation.open}>
      Create key
    </Button>
  );
  const actions: Column<ApiKey> = {
    header: 'Actions',
    align: 'right',
    cell: (row) => (
      <KeyMenu apiKey={row} canEdit={canEdit} onSelect={(kind) => setOpenDialog({ kind, key: row })} />
    ),
  };
  return (
    <>
      <List
        list={list}
        noun="keys"
        columns={[...columns, actions]}
        href={(row) => keyPath(row)}
        toolbar={(list.rows.length > 0 || list.isFiltered) && create}
        empty={{
          title: 'No API keys yet',
          text: 'Servers use a secret key. Web pages and apps use a publishable key.',
          action: create,
        }}
      />
      {canEdit && creation.isOpen && (
        <CreateKeys project={project} created={createdKeys} onClose={creation.close} onCreated={addCreated} />
      )}
      {openDialog?.kind === 'rotate' && (
        <RotateKey apiKey={openDialog.key} onClose={close} onCreated={addCreated} />
      )}
      {openDialog?.kind === 'revoke' && <RevokeKey apiKey={openDialog.key} onClose={close} />}
      <NewKeyDialog
        projectId={project.id}
        keys={openDialog === null && !creation.isOpen ? createdKeys : []}
        onClose={() => setCreatedKeys([])}
      />
    </>
  );
}

interface KeyMenuProps {
  apiKey: ApiKey;
  canEdit: boolean;
  onSelect: (kind: 'rotate' | 'revoke') => void;
}

function KeyMenu({ apiKey: key, canEdit, onSelect }: KeyMenuProps): ReactNode {
  const isActive = keyState(key) === 'active';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="sm" aria-label={showInvisible(`Actions for the key ${key.name}`)}>
          <Icon name="dots" size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to={keyPath(key)}>
          Details
        </Menu.Item>
        {canEdit && isActive && <Menu.Item onClick={() => onSelect('rotate')}>Rotate</Menu.Item>}
        {canEdit && isActive && (
          <Menu.Item c="var(--bad)" onClick={() => onSelect('revoke')}>
            Revoke
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
