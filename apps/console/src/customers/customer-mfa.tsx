import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { toastSuccess } from '../components/toast';
import type { Customer } from './customer-actions';

type Mfa = Customer['mfa'];

/** The labels for a customer's second factor setting. */
export const mfaLabels: Record<Mfa, string> = { inherit: 'As the project requires', required: 'Required' };

interface MfaChange {
  title: string;
  /** Description of the effects. */
  text: string;
  confirmLabel: string;
  successMessage: string;
}

/** The dialog texts for changing the setting to each value. */
const changes: Record<Mfa, MfaChange> = {
  inherit: {
    title: 'Use the project setting?',
    text: 'The project setting decides whether the customer needs a second factor to sign in. The customer keeps their authenticators and passkeys. You can require a second factor again at any time.',
    confirmLabel: 'Use project setting',
    successMessage: 'The project setting applies to this customer',
  },
  required: {
    title: 'Require a second factor?',
    text: 'This customer then needs a second factor for every sign-in. A customer without an authenticator or a passkey sets one up at the next sign-in. Sessions without a second factor can no longer be refreshed, and there is no grace period. You can undo this at any time.',
    confirmLabel: 'Require second factor',
    successMessage: 'Second factor required',
  },
};

/** Renders a button that requires a second factor from a customer, or removes this requirement. */
export function ChangeMfa({ customer }: { customer: Customer }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const mfa = customer.mfa === 'required' ? 'inherit' : 'required';
  const { title, text, confirmLabel, successMessage } = changes[mfa];
  const update = useApiMutation(
    () =>
      unwrap(
        api.PATCH('/operator/v1/customers/{customerId}', {
          params: { path: { customerId: customer.id } },
          body: { mfa },
        }),
      ),
    '/operator/v1/customers',
  );
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {confirmLabel}
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        confirmLabel={confirmLabel}
        onConfirm={async () => {
          await update.mutateAsync(undefined);
          toastSuccess(successMessage);
        }}
      >
        <Text>{text}</Text>
      </ActionDialog>
    </>
  );
}
