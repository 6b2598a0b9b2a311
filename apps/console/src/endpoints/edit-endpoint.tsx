import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../app/roles';
import { api, data, type Schemas } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { toastDone } from '../parts/toast';
import { EndpointForm, fieldsOf, isFilled } from './endpoint-form';
import { headersPatch } from './headers-patch';

type Endpoint = Schemas['EndpointResponse'];

/** A button for admins that opens what can be changed. */
export function EditEndpoint({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Can role="admin">
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && <EditDialog endpoint={endpoint} onClose={() => setOpen(false)} />}
    </Can>
  );
}

function EditDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }): ReactNode {
  const [fields, setFields] = useState(() => fieldsOf(endpoint));
  const change = useSend(
    (body: Schemas['UpdateEndpointRequest']) =>
      data(
        api.PATCH('/operator/v1/webhooks/endpoints/{endpointId}', {
          params: { path: { endpointId: endpoint.id } },
          body,
        }),
      ),
    '/operator/v1/webhooks/endpoints',
    '/operator/v1/audit-log',
  );
  const submit = async (): Promise<void> => {
    const headers = headersPatch(fields.headers, endpoint.headers);
    await change.mutateAsync({
      url: fields.url.trim(),
      events: fields.events,
      description: fields.description.trim() || null,
      ...(headers && { headers }),
    });
    toastDone('Endpoint updated');
  };
  return (
    <ActionDialog
      open
      size="lg"
      onClose={onClose}
      title="Edit endpoint"
      confirm="Save changes"
      disabled={!isFilled(fields)}
      onConfirm={submit}
    >
      <EndpointForm value={fields} onChange={setFields} faults={change.error?.fields ?? {}} />
    </ActionDialog>
  );
}
