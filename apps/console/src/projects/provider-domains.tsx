import { Button, Group, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SecondFactorNotice } from '../session/second-factor-notice';
import { useSession } from '../session/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { CopyButton } from '../components/copy-button';
import { LinesInput } from '../components/lines-input';
import { ProblemAlert } from '../components/problem-alert';
import { PropertyList } from '../components/property-list';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { providerParams, useUpdate } from './provider-actions';
import type { Provider } from './provider-types';
import { ProviderWarnings } from './provider-warnings';

type Domain = Schemas['DomainVerificationResponse'];

interface ProviderDomainsProps {
  provider: Provider;
  canEdit: boolean;
}

/** Renders the section for a provider's email domains, with the DNS records that verify them. */
export function ProviderDomains({ provider, canEdit }: ProviderDomainsProps): ReactNode {
  const { domainVerifications, required } = provider;
  return (
    <section aria-label="Domains">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Domains</Title>
        {canEdit && <EditDomains provider={provider} />}
      </Group>
      <Stack gap="sm">
        <ProviderWarnings provider={provider} />
        <Paper>
          <Text c="dimmed">
            {required
              ? 'Customers with an address in a verified domain can sign in with this provider only.'
              : 'Customers with an address in a verified domain can sign in with this provider or another method.'}
          </Text>
        </Paper>
        {domainVerifications.map((domain) => (
          <DomainItem key={domain.domain} provider={provider} domain={domain} canEdit={canEdit} />
        ))}
      </Stack>
    </section>
  );
}

function DomainItem({ provider, domain, canEdit }: ProviderDomainsProps & { domain: Domain }): ReactNode {
  const check = useApiMutation(
    () =>
      unwrap(
        api.POST(
          '/operator/v1/projects/{projectId}/identity-providers/{providerId}/domains/{domain}/verify',
          {
            params: { path: { ...providerParams(provider).path, domain: domain.domain } },
          },
        ),
      ),
    '/operator/v1/projects',
  );
  const { record, checkedAt, failingSince } = domain;
  return (
    <Paper component="article" aria-label={domain.domain}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="sm">
            <Text fw={600} component="h3">
              <UntrustedText text={domain.domain} />
            </Text>
            <DomainStatus domain={domain} />
          </Group>
          {canEdit && (
            <Button
              variant="default"
              size="xs"
              loading={check.isPending}
              onClick={() => check.mutate(undefined)}
            >
              Check now
            </Button>
          )}
        </Group>
        <PropertyList
          items={{
            'Record type': record.type,
            'Record name': <Copyable text={record.name} name="record name" />,
            'Record value': <Copyable text={record.value} name="record value" />,
            'Last check': checkedAt ? <RelativeTime at={checkedAt} /> : 'Never',
            ...(failingSince && { 'Record missing since': <RelativeTime at={failingSince} /> }),
          }}
        />
        <div aria-live="polite">
          {check.error && <ProblemAlert error={check.error} />}
          {check.data?.detail && (
            <Text c="var(--bad)">
              <UntrustedText text={check.data.detail} />
            </Text>
          )}
        </div>
      </Stack>
    </Paper>
  );
}

function DomainStatus({ domain: { verifiedAt, failingSince } }: { domain: Domain }): ReactNode {
  if (!verifiedAt) return <Badge tone="warn">Not verified</Badge>;
  return failingSince ? <Badge tone="bad">Record missing</Badge> : <Badge tone="good">Verified</Badge>;
}

function Copyable({ text, name }: { text: string; name: string }): ReactNode {
  return (
    <Group gap="sm">
      <UntrustedText text={text} mono />
      <CopyButton value={text} name={name} />
    </Group>
  );
}

function EditDomains({ provider }: { provider: Provider }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Edit domains
      </Button>
      {isOpen && <EditDialog provider={provider} onClose={() => setOpen(false)} />}
    </>
  );
}

function EditDialog({ provider, onClose }: { provider: Provider; onClose: () => void }): ReactNode {
  const { hasSecondFactor } = useSession();
  const [domains, setDomains] = useState(provider.domains);
  const [required, setRequired] = useState(provider.required);
  const update = useUpdate(provider);
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Edit domains"
      confirmLabel="Save changes"
      disabled={!hasSecondFactor}
      onConfirm={async () => {
        await update.mutateAsync({ domains, required });
        toastSuccess('Domains updated');
      }}
    >
      <SecondFactorNotice />
      <Stack>
        <LinesInput
          label="Domains"
          description="Email domains, one per line. Each domain must be verified with a DNS record."
          value={domains}
          error={update.error?.fields?.domains}
          onChange={setDomains}
        />
        <Switch
          label="Require this provider"
          description="Customers with an address in a verified domain can use no other method. Their other sessions end."
          checked={required}
          error={update.error?.fields?.required}
          onChange={(event) => setRequired(event.currentTarget.checked)}
        />
      </Stack>
    </ActionDialog>
  );
}
