import { Alert, Button, Loader, Modal, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Can } from '../session/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useGet, useApiMutation } from '../http/queries';
import { errorLabel } from '../deliveries/explain-attempt';
import { PropertyList } from '../components/property-list';
import { Icon } from '../components/icon';
import { JsonView } from '../components/json-view';
import { ProblemAlert } from '../components/problem-alert';
import { RelativeTime } from '../components/relative-time';
import { HttpStatus } from '../components/status-badge';
import { formatDuration } from '../components/time';

const POLL_MS = 1_000;

/** Renders a button that sends a test event to one endpoint, and a dialog that shows the response. */
export function TestEvent({ endpointId, disabled }: { endpointId: string; disabled: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const test = useApiMutation(
    () =>
      unwrap(
        api.POST('/operator/v1/webhooks/endpoints/{endpointId}/test', { params: { path: { endpointId } } }),
      ),
    '/operator/v1/webhooks/',
    '/operator/v1/audit-log',
  );
  const send = (): void => {
    setOpen(true);
    test.mutate();
  };
  return (
    <Can role="operator">
      <Button
        leftSection={<Icon name="delivery" />}
        disabled={disabled}
        loading={test.isPending}
        onClick={send}
      >
        Send test event
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Test event">
        {test.error && <ProblemAlert error={test.error} onRetry={send} />}
        {test.isPending && <TestPending text="Sending…" />}
        {test.data && <TestResult deliveryId={test.data.data.id} />}
      </Modal>
    </Can>
  );
}

function TestPending({ text }: { text: string }): ReactNode {
  return (
    <Stack align="center" py="lg" role="status">
      <Loader size="sm" aria-hidden />
      <Text c="dimmed">{text}</Text>
    </Stack>
  );
}

function TestResult({ deliveryId }: { deliveryId: string }): ReactNode {
  const [isWaiting, setWaiting] = useState(true);
  const query = useGet(
    '/operator/v1/webhooks/deliveries/{deliveryId}',
    { path: { deliveryId } },
    { refetchInterval: isWaiting && POLL_MS },
  );
  const delivery = query.data?.data;
  const isDone = delivery !== undefined && delivery.state !== 'pending';
  if (isDone && isWaiting) setWaiting(false);
  const attempt = delivery?.attempts.at(-1);
  if (!delivery || (!attempt && !isDone)) {
    return query.error ? (
      <ProblemAlert error={query.error} />
    ) : (
      <TestPending text="Waiting for the response…" />
    );
  }
  return (
    <Stack role="status">
      <TestOutcome delivery={delivery} />
      {attempt && (
        <>
          <PropertyList
            items={{
              Response: (
                <HttpStatus status={attempt.http_status} error={attempt.error && errorLabel(attempt.error)} />
              ),
              Duration: formatDuration(attempt.duration_ms),
              Attempt: `${attempt.attempt} of ${attempt.max_attempts}`,
            }}
          />
          <JsonView name="Response body" value={attempt.response_body} emptyText="Empty response body" />
        </>
      )}
      <Button component={Link} to={`/deliveries/${deliveryId}`} variant="default">
        View delivery
      </Button>
    </Stack>
  );
}

function TestOutcome({ delivery }: { delivery: Schemas['DeliveryResponse'] }): ReactNode {
  if (delivery.state === 'succeeded') {
    return <Alert color="green" icon={<Icon name="check" size={20} />} title="Delivered" />;
  }
  return (
    <Alert color="red" icon={<Icon name="alert" size={20} />} title="Not delivered">
      {delivery.next_attempt_at ? (
        <>
          The delivery is retried automatically. Next attempt: <RelativeTime at={delivery.next_attempt_at} />.
        </>
      ) : (
        'The delivery is not retried.'
      )}
    </Alert>
  );
}
