import { Alert, Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { Problem } from '../http/problem';
import { fetchPath, useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import type { Customer } from './customer-actions';
import { changedFields, isComplete, toFields, toPatch, type CustomerFields } from './customer-fields';
import { CustomerForm } from './customer-form';

const PATH = '/operator/v1/customers/{customerId}';

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

const changedProblem = new Problem({
  code: 'changed_elsewhere',
  status: 412,
  title: 'The customer was changed in the meantime',
  detail: 'Check the current values. If you save again, your values replace them.',
  requestId: '',
});

function EditDialog({ customer, onClose }: { customer: Customer; onClose: () => void }): ReactNode {
  const [original, setOriginal] = useState(() => toFields(customer));
  const [fields, setFields] = useState(original);
  /** The fields of this form that have changed elsewhere since it was opened, with their current values. */
  const [conflicts, setConflicts] = useState<(keyof CustomerFields)[]>([]);
  const params = { path: { customerId: customer.id } };
  const update = useApiMutation(
    () => unwrap(api.PATCH(PATH, { params, body: toPatch(original, fields) })),
    '/operator/v1/customers',
    '/operator/v1/audit-log',
  );
  const submit = async (): Promise<void> => {
    const current = toFields((await fetchPath(PATH, params)) as Customer);
    const edited = changedFields(original, fields);
    const changedElsewhere = changedFields(original, current).filter((name) => edited.includes(name));
    setConflicts(changedElsewhere);
    if (changedElsewhere.length > 0) {
      setOriginal(current);
      // Fields that were not edited here keep the changes of others.
      setFields({ ...current, ...Object.fromEntries(edited.map((name) => [name, fields[name]])) });
      throw changedProblem;
    }
    await update.mutateAsync(undefined);
    toastSuccess('Customer updated');
  };
  const isEmailChanged = fields.email.trim().toLowerCase() !== original.email.toLowerCase();
  return (
    <ActionDialog
      open
      size="lg"
      onClose={onClose}
      title="Edit customer"
      confirmLabel="Save changes"
      disabled={!isComplete(fields) || changedFields(original, fields).length === 0}
      onConfirm={submit}
    >
      <CustomerForm value={fields} onChange={setFields} errors={update.error?.fields ?? {}} />
      {isEmailChanged && (
        <Text c="dimmed">
          The new address takes effect immediately, without confirmation. Links that were sent to the previous
          address stop working.
        </Text>
      )}
      {conflicts.length > 0 && (
        <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="Current values">
          {conflicts.map((name) => (
            <Text key={name}>
              {fieldLabels[name]} is now <UntrustedText text={String(original[name])} fallback="empty" />
            </Text>
          ))}
        </Alert>
      )}
    </ActionDialog>
  );
}
