import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../app/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { toastSuccess } from '../components/toast';
import { EndpointForm, toFields, isComplete } from './endpoint-form';
import { headersPatch } from './headers-patch';

type Endpoint = Schemas['EndpointResponse'];

/** Renders a button for admins that opens the form for an endpoint. */
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
  const [fields, setFields] = useState(() => toFields(endpoint));
  const update = useApiMutation(
    (body: Schemas['UpdateEndpointRequest']) =>
      unwrap(
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
    await update.mutateAsync({
      ...(fields.name !== toFields(endpoint).name && { name: fields.name.trim() || null }),
      url: fields.url.trim(),
      events: fields.events,
      description: fields.description.trim() || null,
      ...(headers && { headers }),
    });
    toastSuccess('Endpoint updated');
  };
  return (
    <ActionDialog
      open
      size="lg"
      onClose={onClose}
      title="Edit endpoint"
      confirmLabel="Save changes"
      disabled={!isComplete(fields)}
      onConfirm={submit}
    >
      <EndpointForm value={fields} onChange={setFields} errors={update.error?.fields ?? {}} />
    </ActionDialog>
  );
}
