import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { useCan } from '../session/roles';
import { useGet } from '../http/queries';
import { CopyTextButton } from '../components/copy-button';
import { Icon } from '../components/icon';
import { Id } from '../components/id';
import { Page } from '../components/page';
import { PropertyList } from '../components/property-list';
import { QueryContent } from '../components/query-content';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { UntrustedText } from '../components/untrusted-text';
import { ConnectionTest } from './connection-test';
import { ProviderStatus } from './identity-providers';
import { ProviderDomains } from './provider-domains';
import { DeleteProvider, EditProvider, ProviderSwitch } from './provider-actions';
import { hasCustomIssuer, isPersonal, PENDING, providerTypes, type Provider } from './provider-types';

/** The screen for an identity provider: its callback URL, its connection, its settings and its actions. */
export function IdentityProviderScreen(): ReactNode {
  const { projectId = '', id: providerId = '' } = useParams();
  const query = useGet('/operator/v1/projects/{projectId}/identity-providers/{providerId}', {
    path: { projectId, providerId },
  });
  const project = useGet('/operator/v1/projects/{projectId}', { path: { projectId } });
  const canEdit = useCan('admin') && project.data?.archivedAt === null;
  const provider = query.data;
  return (
    <Page
      title={provider ? `Identity provider ${provider.name}` : 'Identity provider'}
      heading={
        provider && (
          <Group gap="sm" component="span">
            <UntrustedText text={provider.name} />
            <ProviderStatus provider={provider} />
          </Group>
        )
      }
      description={<Id id={providerId} />}
      back={{ to: `/projects/${projectId}?tab=providers`, label: 'Identity providers' }}
      actions={provider && canEdit && <ProviderSwitch provider={provider} />}
    >
      <QueryContent query={query}>
        {(found) => (
          <Stack gap="xl" key={found.id}>
            {found.clientId === PENDING && <PendingNotice />}
            <CallbackUrl provider={found} />
            <ConnectionTest provider={found} />
            <section aria-label="Settings">
              <Group justify="space-between" mb="xs">
                <Title order={2}>Settings</Title>
                {canEdit && <EditProvider provider={found} />}
              </Group>
              <Paper>
                <PropertyList items={toProperties(found)} />
              </Paper>
            </section>
            {!isPersonal(found) && <ProviderDomains provider={found} canEdit={canEdit} />}
            {canEdit && <DeleteProvider provider={found} />}
          </Stack>
        )}
      </QueryContent>
    </Page>
  );
}

function PendingNotice(): ReactNode {
  return (
    <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="The client is not set up yet">
      Register a client at the provider with the callback URL below. Then edit the settings, enter its client
      ID and secret, and enable the provider.
    </Alert>
  );
}

function CallbackUrl({ provider }: { provider: Provider }): ReactNode {
  return (
    <section aria-label="Callback URL">
      <Title order={2} mb="xs">
        Callback URL
      </Title>
      <Paper>
        <Stack gap="sm" align="flex-start">
          <Text c="dimmed">Register exactly this URL at the provider.</Text>
          <UntrustedText text={provider.callbackUrl} mono />
          <CopyTextButton value={provider.callbackUrl} name="callback URL" />
        </Stack>
      </Paper>
    </section>
  );
}

const list = (values: string[], fallback: string): ReactNode =>
  values.length > 0 ? <UntrustedText text={values.join(', ')} mono /> : fallback;

function toProperties(provider: Provider): Record<string, ReactNode> {
  const { type, clientIds, tenants } = provider;
  const { label, clientId, hasNativeSignIn } = providerTypes[type];
  const isPending = provider.clientId === PENDING;
  return {
    Type: label,
    Slug: <UntrustedText text={provider.slug} mono />,
    Project: <ProjectName id={provider.projectId} link />,
    Issuer: <UntrustedText text={provider.issuer} mono />,
    [clientId]: isPending ? 'Not set' : <UntrustedText text={provider.clientId} mono />,
    ...(type === 'apple'
      ? {
          'Team ID': <UntrustedText text={provider.teamId} mono />,
          'Key ID': <UntrustedText text={provider.keyId} mono />,
          'Private key': 'Set',
        }
      : { 'Client secret': provider.hasClientSecret && !isPending ? 'Set' : 'Not set' }),
    ...(hasNativeSignIn && {
      'App client IDs': list(clientIds, 'None'),
      'Nonce for native sign-ins': provider.requireNonce ? 'Required' : 'Optional',
    }),
    ...(type === 'microsoft' && { Tenants: list(tenants, 'All') }),
    ...(hasCustomIssuer(provider) && {
      'Email addresses': provider.trustEmail ? 'Trusted in verified domains' : 'Not trusted',
    }),
    Scopes: list(provider.scopes, 'None'),
    'Sign-up': provider.allowSignUp ? 'Allowed' : 'Not allowed',
    Created: <RelativeTime at={provider.createdAt} />,
    Updated: <RelativeTime at={provider.updatedAt} />,
  };
}
