import { Button, Menu, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { downloadText } from '../components/download';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { toastSuccess, toastError } from '../components/toast';
import { CapturedMailsNote } from './captured-mails-note';
import {
  performCustomerAction,
  disableAction,
  enableAction,
  resendVerificationAction,
  resetPasswordAction,
  sendInvitationAction,
  unlockAction,
  type Customer,
  type CustomerAction,
} from './customer-actions';

/** Renders the export button and the actions on a customer. Every action requires confirmation. */
export function CustomerButtons({ customer }: { customer: Customer }): ReactNode {
  const [selectedAction, setSelectedAction] = useState<CustomerAction | null>(null);
  const accessAction = customer.disabledAt ? enableAction : disableAction;
  return (
    <>
      <ExportButton id={customer.id} />
      <Can role="operator">
        <Button variant="default" onClick={() => setSelectedAction(accessAction)}>
          {accessAction.confirmLabel}
        </Button>
        <Menu position="bottom-end" width={240}>
          <Menu.Target>
            <Button variant="default" rightSection={<Icon name="chevron-down" size={14} />}>
              More actions
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {customer.hasPassword ? (
              <Menu.Item onClick={() => setSelectedAction(resetPasswordAction)}>
                Send password reset email
              </Menu.Item>
            ) : (
              <Menu.Item onClick={() => setSelectedAction(sendInvitationAction)}>
                Send invitation email
              </Menu.Item>
            )}
            {!customer.emailVerified && (
              <Menu.Item onClick={() => setSelectedAction(resendVerificationAction)}>
                Resend verification email
              </Menu.Item>
            )}
            {/* The notice for a locked customer already contains this action. */}
            {!customer.lock && <Menu.Item onClick={() => setSelectedAction(unlockAction)}>Unlock</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
        <CustomerDialog customer={customer} action={selectedAction} onClose={() => setSelectedAction(null)} />
      </Can>
    </>
  );
}

interface CustomerDialogProps {
  customer: Customer;
  action: CustomerAction | null;
  onClose: () => void;
}

function CustomerDialog({ customer, action, onClose }: CustomerDialogProps): ReactNode {
  const send = useApiMutation(
    (selected: CustomerAction) => performCustomerAction(selected, customer),
    '/operator/v1/customers',
  );
  return (
    <ActionDialog
      open={action !== null}
      onClose={onClose}
      title={action?.title ?? ''}
      confirmLabel={action?.confirmLabel ?? ''}
      danger={action?.danger}
      onConfirm={async () => {
        if (!action) return;
        await send.mutateAsync(action);
        toastSuccess(action.successMessage);
      }}
    >
      <Text fw={600}>
        <UntrustedText text={customer.email} />
      </Text>
      <Text>{action?.text}</Text>
      {action?.sendsMail && <CapturedMailsNote />}
    </ActionDialog>
  );
}

/** Renders a button that downloads all data about a customer, for example after a request by the customer. */
function ExportButton({ id }: { id: string }): ReactNode {
  const exportCustomer = useApiMutation(() =>
    unwrap(api.GET('/operator/v1/customers/{customerId}/export', { params: { path: { customerId: id } } })),
  );
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={14} />}
      loading={exportCustomer.isPending}
      onClick={() =>
        exportCustomer.mutate(undefined, {
          onSuccess: (found) => {
            downloadText(`customer-${id}.json`, `${JSON.stringify(found, null, 2)}\n`);
            if (found.truncated)
              toastSuccess('Customer exported. Some lists are truncated, as noted in the file.');
          },
          onError: toastError,
          // Removes the personal data from memory as soon as it has been saved.
          onSettled: exportCustomer.reset,
        })
      }
    >
      Export
    </Button>
  );
}
