import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, type Schemas } from '../http/client';
import { useApiUpdate } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { isStale, SavedChanges, saveLabel } from '../components/saved-changes';
import { toastSuccess } from '../components/toast';
import { useEdits } from '../components/use-edits';
import type { Customer } from './customer-actions';
import { isComplete, toFields, toPatch, type CustomerFields } from './customer-fields';
import { CustomerForm } from './customer-form';

/** Renders a button that opens the form for a customer. */
export function EditCustomer({ customer }: { customer: Customer }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && <EditDialog customer={customer} onClose={() => setOpen(false)} />}
    </>
  );
}

const fieldLabels: Record<keyof CustomerFields, string> = {
  email: 'Email',
  firstName: 'First name',
  lastName: 'Last name',
  emailVerified: 'The email address is verified',
  externalId: 'External ID',
  locale: 'Language',
  metadata: 'Metadata',
  publicMetadata: 'Public metadata',
};

function EditDialog({ customer, onClose }: { customer: Customer; onClose: () => void }): ReactNode {
  const saved = toFields(customer);
  const edits = useEdits(saved);
  const fields = edits.values;
  const update = useApiUpdate(
    customer,
    (body: Schemas['UpdateCustomerRequest'], header) =>
      api.PATCH('/operator/v1/customers/{customerId}', {
        params: { path: { customerId: customer.id }, header },
        body,
      }),
    '/operator/v1/customers',
    '/operator/v1/audit-log',
  );
  const isEmailChanged = fields.email.trim().toLowerCase() !== saved.email.toLowerCase();
  return (
    <ActionDialog
      open
      size="lg"
      onClose={onClose}
      title="Edit customer"
      confirmLabel={saveLabel(edits)}
      hidesError={isStale}
      disabled={!isComplete(fields) || Object.keys(edits.changed).length === 0}
      onConfirm={async () => {
        await update.mutateAsync(toPatch(saved, fields));
        toastSuccess('Customer updated');
      }}
    >
      <CustomerForm value={fields} onChange={edits.set} errors={update.error?.fields ?? {}} />
      {isEmailChanged && (
        <Text c="dimmed">
          The new address takes effect immediately, without confirmation. Links that were sent to the previous
          address stop working.
        </Text>
      )}
      <SavedChanges edits={edits} labels={fieldLabels} problem={update.error} />
    </ActionDialog>
  );
}
