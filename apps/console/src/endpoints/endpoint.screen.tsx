import { Alert, Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { Can } from '../session/roles';
import { api, type Schemas } from '../http/client';
import { useGet, useApiMutation } from '../http/queries';
import { DangerAction, DangerZone } from '../components/danger-zone';
import { PropertyList } from '../components/property-list';
import { UntrustedText, UntrustedUrl } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { Id } from '../components/id';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import { OrganizationName, ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { StatusBadge } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { EditEndpoint } from './edit-endpoint';
import { EndpointAttempts } from './endpoint-attempts';
import { hostOf } from './endpoint-form';
import { EndpointEvents } from './endpoint-events';
import { EndpointMetrics } from './endpoint-metrics';
import { EndpointReplays } from './endpoint-replays';
import { EndpointSwitch } from './endpoint-switch';
import { RecoverEndpoint } from './recover-endpoint';
import { RotateSecret } from './rotate-secret';
import { TestEvent } from './test-event';

type Endpoint = Schemas['OperatorEndpointResponse'];

/** The screen for an endpoint: its metrics, its settings, its recent attempts and its actions. */
export function EndpointScreen(): ReactNode {
  const { id = '' } = useParams();
  const query = useGet('/operator/v1/webhooks/endpoints/{endpointId}', { path: { endpointId: id } });
  const endpoint = query.data?.data;
  return (
    <Page
      title={endpoint ? `Endpoint ${endpoint.name}` : 'Endpoint'}
      heading={
        endpoint && (
          <Group gap="sm" component="span">
            <UntrustedText text={endpoint.name} />
            <StatusBadge state={endpoint.status} />
          </Group>
        )
      }
      description={<Id id={id} />}
      back={{ to: '/endpoints', label: 'Endpoints' }}
      actions={endpoint && <Actions endpoint={endpoint} />}
    >
      <QueryContent query={query}>
        {({ data: loaded }) => <EndpointDetails key={id} endpoint={loaded} />}
      </QueryContent>
    </Page>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const isDisabled = endpoint.status !== 'enabled';
  const stats = useGet('/operator/v1/webhooks/endpoints/{endpointId}/stats', {
    path: { endpointId: endpoint.id },
    query: { window: '24h' },
  });
  return (
    <>
      <EndpointSwitch endpoint={endpoint} />
      <RecoverEndpoint
        endpointId={endpoint.id}
        disabled={isDisabled}
        since={stats.data?.data.failing_since ?? null}
      />
      <TestEvent endpointId={endpoint.id} disabled={isDisabled} />
    </>
  );
}

function EndpointDetails({ endpoint }: { endpoint: Endpoint }): ReactNode {
  return (
    <Stack gap="xl">
      {endpoint.status === 'disabled' && <DisabledNotice endpoint={endpoint} />}
      <EndpointMetrics endpointId={endpoint.id} />
      <section aria-label="Settings">
        <Group justify="space-between" mb="xs">
          <Title order={2}>Settings</Title>
          <Group gap="xs">
            <RotateSecret endpointId={endpoint.id} />
            <EditEndpoint endpoint={endpoint} />
          </Group>
        </Group>
        <Paper>
          <PropertyList items={toProperties(endpoint)} />
        </Paper>
      </section>
      <section aria-label="Recent attempts">
        <Group justify="space-between">
          <Title order={2}>Recent attempts</Title>
          <Anchor component={Link} to={`/deliveries/attempts?endpoint_id=${endpoint.id}`}>
            View all attempts
          </Anchor>
        </Group>
        <EndpointAttempts endpointId={endpoint.id} />
      </section>
      <EndpointReplays endpointId={endpoint.id} />
      <Can role="admin">
        <DeleteEndpoint endpoint={endpoint} />
      </Can>
    </Stack>
  );
}

function toProperties(endpoint: Endpoint): Record<string, ReactNode> {
  const headers = Object.keys(endpoint.headers);
  return {
    URL: <UntrustedUrl text={endpoint.url} />,
    'Subscribed events': <EndpointEvents events={endpoint.events} />,
    'Receives events from':
      endpoint.level === 'organization' ? (
        'All projects of the organization'
      ) : (
        <ProjectName id={endpoint.project_id} link />
      ),
    Organization: <OrganizationName id={endpoint.organization_id} link />,
    Description: <UntrustedText text={endpoint.description} fallback="None" />,
    'Custom headers': headers.length > 0 ? <UntrustedText text={headers.join(', ')} mono /> : 'None',
    Created: <RelativeTime at={endpoint.created_at} />,
    Updated: <RelativeTime at={endpoint.updated_at} />,
  };
}

function DisabledNotice({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const isFailing = endpoint.disabled_reason === 'failing';
  return (
    <Alert
      color={isFailing ? 'red' : 'gray'}
      icon={<Icon name={isFailing ? 'alert' : 'pause'} size={20} />}
      title={isFailing ? 'Disabled automatically: all attempts failed for three days' : 'Disabled manually'}
    >
      <Text>
        No events are delivered to this endpoint, and its pending deliveries were canceled. After you enable
        it again, use “Recover events” to deliver the events it missed.
      </Text>
    </Alert>
  );
}

/**
 * Returns what must be typed to delete the endpoint: its host name, or its ID if the URL has no host. Neither is likely
 * to be typed by mistake.
 */
const confirmationName = ({ url, id }: Endpoint): string => hostOf(url) || id;

function DeleteEndpoint({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const navigate = useNavigate();
  const remove = useApiMutation(
    () =>
      api
        .DELETE('/operator/v1/webhooks/endpoints/{endpointId}', {
          params: { path: { endpointId: endpoint.id } },
        })
        .then(() => navigate('/endpoints')),
    '/operator/v1/audit-log',
  );
  return (
    <DangerZone>
      <DangerAction
        title="Delete this endpoint"
        description="This deletes the endpoint and cancels its pending deliveries. Past deliveries remain in the delivery log. This cannot be undone."
        confirmLabel="Delete endpoint"
        confirmationText={confirmationName(endpoint)}
        onConfirm={async () => {
          await remove.mutateAsync();
          toastSuccess('Endpoint deleted');
        }}
      />
    </DangerZone>
  );
}
