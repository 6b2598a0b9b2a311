import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can, useCan } from '../session/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { ActionDialog } from '../components/action-dialog';
import { UntrustedText } from '../components/untrusted-text';
import { RelativeTime } from '../components/relative-time';
import { toastSuccess } from '../components/toast';

type Session = Schemas['SessionResponse'];

const INVALIDATED_PATH = '/operator/v1/customers/{customerId}/sessions';

const columns: Column<Session>[] = [
  {
    header: 'Device',
    cell: ({ device, userAgent }) => (
      <UntrustedText text={device ?? userAgent} tooltip={userAgent} fallback="Unknown" />
    ),
  },
  { header: 'IP address', cell: (row) => <UntrustedText text={row.ip} mono /> },
  { header: 'Signed in', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
  { header: 'Last used', align: 'right', cell: (row) => <RelativeTime at={row.lastUsedAt} /> },
  { header: 'Expires', align: 'right', wideOnly: true, cell: (row) => <RelativeTime at={row.expiresAt} /> },
];

/** Lists a customer's sessions. One session or all sessions can be revoked. */
export function CustomerSessions({ customerId }: { customerId: string }): ReactNode {
  const canRevoke = useCan('operator');
  const [selected, setSelected] = useState<Session | null>(null);
  const list = useList({ path: '/operator/v1/customers/{customerId}/sessions', pathParams: { customerId } });
  const revoke = useApiMutation(
    (sessionId: string) =>
      unwrap(
        api.DELETE('/operator/v1/customers/{customerId}/sessions/{sessionId}', {
          params: { path: { customerId, sessionId } },
        }),
      ),
    INVALIDATED_PATH,
  );
  const actionColumn: Column<Session> = {
    header: 'Actions',
    align: 'right',
    cell: (row) => (
      <Button
        variant="subtle"
        size="compact-xs"
        color="red.8"
        c="var(--bad)"
        aria-label={`Revoke ${row.device ?? 'this session'}`}
        onClick={() => setSelected(row)}
      >
        Revoke
      </Button>
    ),
  };
  return (
    <>
      <List
        list={list}
        noun="sessions"
        columns={canRevoke ? [...columns, actionColumn] : columns}
        empty={{
          title: 'No active sessions',
          text: 'A session starts when the customer registers or signs in.',
        }}
        toolbar={list.rows.length > 0 && <RevokeAll customerId={customerId} />}
      />
      <ActionDialog
        open={selected !== null}
        onClose={() => setSelected(null)}
        title="Revoke this session?"
        confirmLabel="Revoke session"
        danger
        onConfirm={async () => {
          if (!selected) return;
          await revoke.mutateAsync(selected.id);
          toastSuccess('Session revoked');
        }}
      >
        <Text>
          <UntrustedText text={selected?.device} fallback="The device" /> at{' '}
          <UntrustedText text={selected?.ip} fallback="an unknown address" mono /> will be signed out
          immediately. The customer can sign in again.
        </Text>
      </ActionDialog>
    </>
  );
}

function RevokeAll({ customerId }: { customerId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const revoke = useApiMutation(
    () =>
      unwrap(
        api.DELETE('/operator/v1/customers/{customerId}/sessions', { params: { path: { customerId } } }),
      ),
    INVALIDATED_PATH,
  );
  return (
    <Can role="operator">
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Revoke all sessions
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Revoke all sessions?"
        confirmLabel="Revoke all sessions"
        danger
        onConfirm={async () => {
          await revoke.mutateAsync(undefined);
          toastSuccess('All sessions revoked');
        }}
      >
        <Text>The customer will be signed out immediately on all devices, and can sign in again.</Text>
      </ActionDialog>
    </Can>
  );
}
