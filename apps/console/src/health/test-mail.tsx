import { Button, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { useOperator } from '../session/session';
import { api } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { toastSuccess } from '../components/toast';

/** Renders a button for admins that sends a test email. */
export function TestMail(): ReactNode {
  const { email } = useOperator();
  const [isOpen, setOpen] = useState(false);
  const [to, setTo] = useState(email);
  const send = useApiMutation(
    () => api.POST('/operator/v1/health/test-mail', { body: { to: to.trim() } }),
    '/operator/v1/health',
  );
  return (
    <Can role="admin">
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Send test email
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Send test email"
        confirmLabel="Send test email"
        disabled={to.trim() === ''}
        onConfirm={async () => {
          await send.mutateAsync();
          toastSuccess('Test email queued');
        }}
      >
        <Text>
          The test email is sent in the same way as all other emails. If it does not arrive, the log contains
          the reason. A sent email cannot be recalled.
        </Text>
        <TextInput
          label="To"
          type="email"
          required
          data-autofocus
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
      </ActionDialog>
    </Can>
  );
}
