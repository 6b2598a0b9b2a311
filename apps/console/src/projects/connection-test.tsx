import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Can } from '../session/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { Icon } from '../components/icon';
import { ProblemAlert } from '../components/problem-alert';
import { Badge } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import { providerParams } from './provider-actions';
import type { Provider } from './provider-types';

type Check = Schemas['ConnectionCheckResponse'];

const labels: Record<Check['name'], string> = {
  issuer_url: 'Issuer URL',
  private_key: 'Private key',
  discovery: 'Discovery document',
  issuer: 'Issuer',
  endpoints: 'Endpoints',
  response_type: 'Authorization code flow',
  pkce: 'PKCE',
  client_authentication: 'Client authentication',
  keys: 'Signing keys',
  client_credentials: 'Client ID and secret',
};

/** Renders the section that tests the connection to a provider. */
export function ConnectionTest({ provider }: { provider: Provider }): ReactNode {
  const test = useApiMutation(
    () =>
      unwrap(
        api.POST('/operator/v1/projects/{projectId}/identity-providers/{providerId}/test', {
          params: providerParams(provider),
        }),
      ),
    '/operator/v1/audit-log',
  );
  return (
    <section aria-label="Connection">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Connection</Title>
        <Can role="admin">
          <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate(undefined)}>
            Test connection
          </Button>
        </Can>
      </Group>
      <Paper aria-live="polite">
        <Stack gap="sm">
          {!test.data && !test.error && (
            <Text c="dimmed">
              The test checks whether Gatehouse can reach the provider and whether the provider accepts the
              client. Only a sign-in can verify the callback URL.
            </Text>
          )}
          {test.error && <ProblemAlert error={test.error} />}
          {test.data?.checks.map((check) => (
            <CheckResult key={check.name} check={check} />
          ))}
        </Stack>
      </Paper>
    </section>
  );
}

function CheckResult({ check: { name, ok, detail } }: { check: Check }): ReactNode {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Text c={ok ? 'var(--good)' : 'var(--bad)'} component="span" mt={2}>
        <Icon name={ok ? 'check' : 'cross'} />
      </Text>
      <div style={{ flex: 1, minWidth: 0 }}>
        <Group gap="xs">
          <Text fw={600}>{labels[name]}</Text>
          <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'OK' : 'Failed'}</Badge>
        </Group>
        <Text c="dimmed">
          <UntrustedText text={detail} />
        </Text>
      </div>
    </Group>
  );
}
