import { Alert, Button, Loader, Modal, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { Can } from '../app/roles';
import { api, data, type Schemas } from '../http/client';
import { useGet, useSend } from '../http/queries';
import { errorName } from '../parts/attempt-error';
import { Facts } from '../parts/facts';
import { Icon } from '../parts/icon';
import { JsonView } from '../parts/json-view';
import { ProblemAlert } from '../parts/problem-alert';
import { RelativeTime } from '../parts/relative-time';
import { HttpStatus } from '../parts/status-badge';
import { duration } from '../parts/time';

const POLL_MS = 1_000;

/** Sends a test event to one endpoint and shows what it answers. */
export function TestEvent({ endpointId, disabled }: { endpointId: string; disabled: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const test = useSend(
    () =>
      data(
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
        {test.error && <ProblemAlert error={test.error} retry={send} />}
        {test.isPending && <Waiting text="Sending…" />}
        {test.data && <TestResult deliveryId={test.data.data.id} />}
      </Modal>
    </Can>
  );
}

function Waiting({ text }: { text: string }): ReactNode {
  return (
    <Stack align="center" py="lg" role="status">
      <Loader size="sm" aria-hidden />
      <Text c="dimmed">{text}</Text>
    </Stack>
  );
}

function TestResult({ deliveryId }: { deliveryId: string }): ReactNode {
  const [isWaiting, setWaiting] = useState(true);
  const found = useGet(
    '/operator/v1/webhooks/deliveries/{deliveryId}',
    { path: { deliveryId } },
    { every: isWaiting && POLL_MS },
  );
  const delivery = found.data?.data;
  const isDone = delivery !== undefined && delivery.state !== 'pending';
  if (isDone && isWaiting) setWaiting(false);
  const attempt = delivery?.attempts.at(-1);
  if (!delivery || (!attempt && !isDone)) {
    return found.error ? <ProblemAlert error={found.error} /> : <Waiting text="Waiting for the response…" />;
  }
  return (
    <Stack role="status">
      <Verdict delivery={delivery} />
      {attempt && (
        <>
          <Facts
            of={{
              Response: (
                <HttpStatus status={attempt.http_status} error={attempt.error && errorName(attempt.error)} />
              ),
              Duration: duration(attempt.duration_ms),
              Attempt: `${attempt.attempt} of ${attempt.max_attempts}`,
            }}
          />
          <JsonView name="Response body" value={attempt.response_body} empty="Empty response body" />
        </>
      )}
      <Button component={Link} to={`/deliveries/${deliveryId}`} variant="default">
        View delivery
      </Button>
    </Stack>
  );
}

function Verdict({ delivery }: { delivery: Schemas['DeliveryResponse'] }): ReactNode {
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
