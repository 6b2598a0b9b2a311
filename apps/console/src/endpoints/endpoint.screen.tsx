import { Alert, Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { Can } from '../app/roles';
import { api, type Schemas } from '../http/client';
import { useGet, useSend } from '../http/queries';
import { Danger, DangerZone } from '../parts/danger-zone';
import { Facts } from '../parts/facts';
import { ForeignText } from '../parts/foreign-text';
import { Icon } from '../parts/icon';
import { Id } from '../parts/id';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { OrganizationName, ProjectName } from '../parts/record-name';
import { RelativeTime } from '../parts/relative-time';
import { StatusBadge } from '../parts/status-badge';
import { toastDone } from '../parts/toast';
import { EditEndpoint } from './edit-endpoint';
import { EndpointAttempts } from './endpoint-attempts';
import { EndpointEvents } from './endpoint-events';
import { EndpointStats } from './endpoint-stats';
import { EndpointSwitch } from './endpoint-switch';
import { RecoverEndpoint } from './recover-endpoint';
import { RotateSecret } from './rotate-secret';
import { TestEvent } from './test-event';

type Endpoint = Schemas['OperatorEndpointResponse'];

/** One endpoint: how it does, what it listens to, and what can be done about it. */
export function EndpointScreen(): ReactNode {
  const { id = '' } = useParams();
  const found = useGet('/operator/v1/webhooks/endpoints/{endpointId}', { path: { endpointId: id } });
  const endpoint = found.data?.data;
  return (
    <Page
      title={endpoint ? `Endpoint ${endpoint.url}` : 'Endpoint'}
      heading={
        endpoint && (
          <Group gap="sm" component="span">
            <ForeignText text={endpoint.url} />
            <StatusBadge state={endpoint.status} />
          </Group>
        )
      }
      about={<Id id={id} />}
      back={{ to: '/endpoints', label: 'Endpoints' }}
      actions={endpoint && <Actions endpoint={endpoint} />}
    >
      <Loaded query={found}>{({ data: shown }) => <EndpointDetails key={id} endpoint={shown} />}</Loaded>
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
      {endpoint.status === 'disabled' && <DisabledNote endpoint={endpoint} />}
      <EndpointStats endpointId={endpoint.id} />
      <section aria-label="Settings">
        <Group justify="space-between" mb="xs">
          <Title order={2}>Settings</Title>
          <Group gap="xs">
            <RotateSecret endpointId={endpoint.id} />
            <EditEndpoint endpoint={endpoint} />
          </Group>
        </Group>
        <Paper>
          <Facts of={factsOf(endpoint)} />
        </Paper>
      </section>
      <section aria-label="Recent attempts">
        <Group justify="space-between">
          <Title order={2}>Recent attempts</Title>
          <Anchor component={Link} to={`/deliveries?endpoint_id=${endpoint.id}`}>
            View all attempts
          </Anchor>
        </Group>
        <EndpointAttempts endpointId={endpoint.id} />
      </section>
      <Can role="admin">
        <DeleteEndpoint endpoint={endpoint} />
      </Can>
    </Stack>
  );
}

function factsOf(endpoint: Endpoint): Record<string, ReactNode> {
  const headers = Object.keys(endpoint.headers);
  return {
    'Subscribed events': <EndpointEvents events={endpoint.events} />,
    'Receives events from':
      endpoint.level === 'organization' ? (
        'All projects of the organization'
      ) : (
        <ProjectName id={endpoint.project_id} link />
      ),
    Organization: <OrganizationName id={endpoint.organization_id} link />,
    Description: <ForeignText text={endpoint.description} none="None" />,
    'Custom headers': headers.length > 0 ? <ForeignText text={headers.join(', ')} mono /> : 'None',
    Created: <RelativeTime at={endpoint.created_at} />,
    Updated: <RelativeTime at={endpoint.updated_at} />,
  };
}

function DisabledNote({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const isFailing = endpoint.disabled_reason === 'failing';
  return (
    <Alert
      color={isFailing ? 'red' : 'gray'}
      icon={<Icon name={isFailing ? 'alert' : 'pause'} size={20} />}
      title={isFailing ? 'Disabled automatically: all attempts failed for three days' : 'Disabled manually'}
    >
      <Text>
        No events are delivered to this endpoint, and its pending deliveries were cancelled. After you enable
        it again, use “Recover events” to deliver the events it missed.
      </Text>
    </Alert>
  );
}

/** What has to be typed to delete it: a name that nobody types by mistake. */
const nameOf = ({ url, id }: Endpoint): string => (URL.canParse(url) ? new URL(url).host : '') || id;

function DeleteEndpoint({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const navigate = useNavigate();
  const remove = useSend(
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
      <Danger
        title="Delete this endpoint"
        about="Cancels the pending deliveries of the endpoint. Its delivery log is kept. This cannot be undone."
        confirm="Delete endpoint"
        typed={nameOf(endpoint)}
        onConfirm={async () => {
          await remove.mutateAsync();
          toastDone('Endpoint deleted');
        }}
      />
    </DangerZone>
  );
}
