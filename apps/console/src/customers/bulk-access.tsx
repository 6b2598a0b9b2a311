import { Anchor, Text } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { Link } from 'react-router';
import { api, type Schemas } from '../http/client';
import { BulkActionDialog } from '../lists/bulk-action-dialog';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';

type Customer = Schemas['ListedCustomerResponse'];

/** An access change for several customers. */
export interface AccessChange {
  verb: 'disable' | 'enable';
  customers: Customer[];
}

const texts = {
  disable: {
    label: 'Disable',
    done: 'disabled',
    text: 'They will be signed out immediately on all devices, and cannot sign in until you enable them again.',
  },
  enable: {
    label: 'Enable',
    done: 'enabled',
    text: 'They can sign in again with the same password. You can disable them again at any time.',
  },
};

const formatCustomers = (count: number): string =>
  count === 1 ? '1 customer' : `${count.toLocaleString('en')} customers`;

interface BulkAccessDialogProps {
  /** null keeps the dialog closed. */
  change: AccessChange | null;
  onClose: () => void;
  /** Called with the customers that were changed. */
  onDone: (customers: Customer[]) => void;
}

/**
 * Renders the dialog that disables or enables customers. It has no effect on customers who already have this status.
 */
export function BulkAccessDialog({ change, onClose, onDone }: BulkAccessDialogProps): ReactNode {
  // Retains the verb while the closing dialog fades out.
  const lastVerb = useRef<AccessChange['verb']>('disable');
  if (change) lastVerb.current = change.verb;
  const verb = lastVerb.current;
  const { label, done, text } = texts[verb];
  return (
    <BulkActionDialog
      items={change?.customers ?? []}
      title={(count) => `${label} ${formatCustomers(count)}?`}
      confirmLabel={(count) => `${label} ${count.toLocaleString('en')}`}
      reportTitle={(changed, count) => `${formatCustomers(changed)} of ${count.toLocaleString('en')} ${done}`}
      danger={verb === 'disable'}
      requiresReason="required"
      perform={({ id: customerId }, reason) =>
        api.POST(`/operator/v1/customers/{customerId}/${verb}`, {
          params: { path: { customerId } },
          body: { reason },
        })
      }
      renderItem={({ id, email }) => (
        <Anchor component={Link} to={`/customers/${id}`} size="sm">
          <UntrustedText text={email} />
        </Anchor>
      )}
      invalidatedPaths={['/operator/v1/customers', '/operator/v1/audit-log']}
      onClose={onClose}
      onDone={(result) => {
        toastSuccess(`${formatCustomers(result.done.length)} ${done}`);
        onDone(result.done);
      }}
    >
      {() => <Text>{text}</Text>}
    </BulkActionDialog>
  );
}
