import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useCan } from '../session/roles';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { Icon } from '../components/icon';
import { RelativeTime } from '../components/relative-time';
import { Badge, StatusBadge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import { AddProvider } from './add-provider';
import { providerPath, providerTypes, type Provider } from './provider-types';
import type { Project } from './use-project-form';

const columns: Column<Provider>[] = [
  { header: 'Name', primary: true, cell: (row) => <UntrustedText text={row.name} /> },
  { header: 'Type', cell: (row) => providerTypes[row.type].label },
  { header: 'Slug', cell: (row) => <UntrustedText text={row.slug} mono /> },
  { header: 'Status', cell: (row) => <ProviderStatus provider={row} /> },
  { header: 'Sign-up', wideOnly: true, cell: (row) => (row.allowSignUp ? 'Allowed' : 'Not allowed') },
  { header: 'Created', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
];

/** Renders a provider's status: enabled or disabled. */
export function ProviderStatus({ provider }: { provider: Provider }): ReactNode {
  return provider.enabled ? <StatusBadge state="enabled" /> : <Badge tone="calm">Disabled</Badge>;
}

/** Lists a project's identity providers, and can add one. */
export function IdentityProviders({ project }: { project: Project }): ReactNode {
  const canEdit = useCan('admin') && !project.archivedAt;
  const [isAdding, setAdding] = useState(false);
  const list = useList({
    path: '/operator/v1/projects/{projectId}/identity-providers',
    pathParams: { projectId: project.id },
  });
  const add = canEdit && (
    <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
      Add provider
    </Button>
  );
  return (
    <>
      <List
        list={list}
        noun="providers"
        columns={columns}
        href={providerPath}
        toolbar={list.rows.length > 0 && add}
        empty={{
          title: 'No identity providers yet',
          text: "Let customers sign in with Google, GitHub, their company's identity provider, and more.",
          action: add,
        }}
      />
      {isAdding && <AddProvider project={project} onClose={() => setAdding(false)} />}
    </>
  );
}
