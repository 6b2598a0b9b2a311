import { Button, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Can } from '../session/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { fromWallTime, toWallTime, zoneName } from '../components/time';
import { useTimeZone } from '../components/use-time-zone';

interface RecoverProps {
  endpointId: string;
  disabled: boolean;
  /** Start of the period in which the endpoint probably missed events, ISO 8601; null if it is not known. */
  since: string | null;
}

/** Renders a button and a dialog that recover the events that an endpoint missed in a period, as a batch. */
export function RecoverEndpoint(props: RecoverProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Can role="operator">
      <Button
        variant="default"
        leftSection={<Icon name="redeliver" />}
        disabled={props.disabled}
        onClick={() => setOpen(true)}
      >
        Recover events
      </Button>
      {isOpen && <RecoverDialog {...props} onClose={() => setOpen(false)} />}
    </Can>
  );
}

const DAY_MS = 86_400_000;

function RecoverDialog({ endpointId, since, onClose }: RecoverProps & { onClose: () => void }): ReactNode {
  const zone = useTimeZone();
  const [from, setFrom] = useState(() => toWallTime(since ?? Date.now() - DAY_MS, zone).slice(0, 16));
  const [to, setTo] = useState('');
  const navigate = useNavigate();
  const recover = useApiMutation(
    (body: Schemas['RecoverRequest']) =>
      unwrap(
        api.POST('/operator/v1/webhooks/endpoints/{endpointId}/recover', {
          params: { path: { endpointId } },
          body,
        }),
      ),
    '/operator/v1/webhooks/',
    '/operator/v1/audit-log',
  );
  const fieldErrors = recover.error?.fields ?? {};
  const submit = async (): Promise<void> => {
    const batch = await recover.mutateAsync({
      since: fromWallTime(from, zone),
      ...(to && { until: fromWallTime(to, zone) }),
    });
    void navigate(`/batches/${batch.data.id}`);
  };
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Recover missed events?"
      confirmLabel="Recover events"
      disabled={from === ''}
      onConfirm={submit}
    >
      <Text>
        This delivers every event in this period that the endpoint subscribes to, unless it has already been
        delivered or is pending. Events are sent a few at a time, with lower priority than other deliveries. A
        batch starts immediately; you can follow and cancel it, but deliveries that were already sent cannot
        be recalled.
      </Text>
      <TextInput
        type="datetime-local"
        label={`From (${zoneName(Date.now(), zone)})`}
        required
        value={from}
        error={fieldErrors.since}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label={`To (${zoneName(Date.now(), zone)})`}
        description="If empty, the current time is used."
        value={to}
        error={fieldErrors.until}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}
