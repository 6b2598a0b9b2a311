import { Anchor, Button, Group, Modal, Progress, Stack, Table, Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { api, unwrap, type Schemas } from '../http/client';
import { useInvalidate } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { runAll, type Refused } from '../components/run-all';
import { UntrustedText } from '../components/untrusted-text';

type Customer = Schemas['ListedCustomerResponse'];

/** A change of the access of several customers. */
export interface AccessChange {
  verb: 'disable' | 'enable';
  customers: Customer[];
}

/** The result of a change. */
export interface AccessReport extends AccessChange {
  refused: Refused<Customer>[];
  /** The customers that were left out because the operator stopped the change. */
  unsent: Customer[];
}

const texts = {
  disable: {
    label: 'Disable',
    done: 'disabled',
    text: 'They are signed out immediately on all devices and cannot sign in until you enable them again.',
  },
  enable: {
    label: 'Enable',
    done: 'enabled',
    text: 'They can sign in again with the same password. You can disable them again at any time.',
  },
};

const formatCustomers = (count: number): string =>
  count === 1 ? '1 customer' : `${count.toLocaleString('en')} customers`;

/** Describes a result: "3 customers disabled". */
export const formatReport = ({ verb, customers, refused, unsent }: AccessReport): string =>
  `${formatCustomers(customers.length - refused.length - unsent.length)} ${texts[verb].done}`;

interface BulkAccessDialogProps {
  /** null keeps the dialog closed. */
  change: AccessChange | null;
  onClose: () => void;
  onDone: (report: AccessReport) => void;
}

/**
 * Disables or enables customers one by one, because each is a separate entry in the audit log. Repeating the change is
 * harmless: a customer who is already disabled or enabled stays unchanged.
 */
export function BulkAccessDialog({ change, onClose, onDone }: BulkAccessDialogProps): ReactNode {
  const invalidate = useInvalidate();
  const [done, setDone] = useState<number | null>(null);
  const controller = useRef(new AbortController());
  // Retains the change while the closing dialog fades out.
  const lastChange = useRef(change);
  if (change) lastChange.current = change;
  const { verb, customers } = lastChange.current ?? { verb: 'disable', customers: [] };
  const { label, text } = texts[verb];
  const run = async (reason: string): Promise<void> => {
    controller.current = new AbortController();
    setDone(0);
    try {
      const send = ({ id: customerId }: Customer): Promise<unknown> =>
        unwrap<unknown>(
          api.POST(`/operator/v1/customers/{customerId}/${verb}`, {
            params: { path: { customerId } },
            body: { reason },
          }),
        );
      const result = await runAll(customers, send, setDone, controller.current.signal);
      onDone({ verb, customers, ...result });
    } finally {
      setDone(null);
      void invalidate('/operator/v1/customers', '/operator/v1/audit-log');
    }
  };
  return (
    <ActionDialog
      open={change !== null}
      onClose={onClose}
      title={`${label} ${formatCustomers(customers.length)}?`}
      confirmLabel={`${label} ${customers.length.toLocaleString('en')}`}
      danger={verb === 'disable'}
      requiresReason="required"
      onConfirm={run}
    >
      <Text>{text}</Text>
      {done !== null && (
        <Group wrap="nowrap">
          <Progress
            flex={1}
            value={(done / Math.max(1, customers.length)) * 100}
            aria-label={`${done} of ${customers.length} done`}
          />
          <Text size="sm" aria-live="polite">
            {done} of {customers.length}
          </Text>
          <Button size="xs" variant="default" onClick={() => controller.current.abort()}>
            Stop
          </Button>
        </Group>
      )}
    </ActionDialog>
  );
}

/** Lists the customers that were not changed, with the reasons. They stay selected. */
export function AccessReportDialog({
  report,
  onClose,
}: {
  report: AccessReport | null;
  onClose: () => void;
}): ReactNode {
  return (
    <Modal opened={report !== null} onClose={onClose} title={report && formatReport(report)}>
      {report && (
        <Stack>
          <Text>
            {formatCustomers(report.refused.length + report.unsent.length)} unchanged. They stay selected, so
            that you can try again.
          </Text>
          {report.refused.length > 0 && (
            <Table fz="sm" aria-label="Rejected">
              <Table.Tbody>
                {report.refused.map(({ item, problem }) => (
                  <Table.Tr key={item.id}>
                    <Table.Td>
                      <Anchor component={Link} to={`/customers/${item.id}`} size="sm">
                        <UntrustedText text={item.email} />
                      </Anchor>
                    </Table.Td>
                    <Table.Td>{problem.detail || problem.title}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
