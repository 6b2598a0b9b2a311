import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { api, type Schemas } from '../http/client';
import { useApiUpdate } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { formatValue, isStale, SavedChanges, saveLabel } from '../components/saved-changes';
import { toastSuccess } from '../components/toast';
import { useEdits } from '../components/use-edits';
import { EndpointForm, endpointLabels, toFields, isComplete, type EndpointFields } from './endpoint-form';
import { headersPatch, type HeaderRow } from './headers-patch';

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
  const edits = useEdits(toFields(endpoint));
  const { values: fields, changed } = edits;
  const update = useApiUpdate(
    endpoint,
    (body: Schemas['UpdateEndpointRequest'], header) =>
      api.PATCH('/operator/v1/webhooks/endpoints/{endpointId}', {
        params: { path: { endpointId: endpoint.id }, header },
        body,
      }),
    '/operator/v1/webhooks/endpoints',
    '/operator/v1/audit-log',
  );
  const submit = async (): Promise<void> => {
    const headers = headersPatch(fields.headers, endpoint.headers);
    await update.mutateAsync({
      ...(changed.name !== undefined && { name: fields.name.trim() || null }),
      ...(changed.url !== undefined && { url: fields.url.trim() }),
      ...(changed.events && { events: fields.events }),
      ...(changed.description !== undefined && { description: fields.description.trim() || null }),
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
      confirmLabel={saveLabel(edits)}
      hidesError={isStale}
      disabled={!isComplete(fields)}
      onConfirm={submit}
    >
      <EndpointForm value={fields} onChange={edits.set} errors={update.error?.fields ?? {}} />
      <SavedChanges edits={edits} labels={endpointLabels} format={formatField} problem={update.error} />
    </ActionDialog>
  );
}

/** Formats a field's value. For headers, only the names are known. */
const formatField = (field: keyof EndpointFields, value: unknown): string =>
  formatValue(field === 'headers' ? (value as HeaderRow[]).map(({ name }) => name) : value);
