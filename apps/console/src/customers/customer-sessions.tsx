import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can, useCan } from '../app/roles';
import { api, data, type Schemas } from '../http/client';
import { useSend } from '../http/queries';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { ActionDialog } from '../parts/action-dialog';
import { ForeignText } from '../parts/foreign-text';
import { RelativeTime } from '../parts/relative-time';
import { toastDone } from '../parts/toast';

type Session = Schemas['SessionResponse'];

const REFRESHED = '/operator/v1/customers/{customerId}/sessions';

const columns: Column<Session>[] = [
  {
    header: 'Device',
    cell: ({ device, userAgent }) => (
      <span title={userAgent ?? undefined}>
        <ForeignText text={device ?? userAgent} none="Unknown" />
      </span>
    ),
  },
  { header: 'IP address', cell: (row) => <ForeignText text={row.ip} mono /> },
  { header: 'Signed in', align: 'right', cell: (row) => <RelativeTime at={row.createdAt} /> },
  { header: 'Last used', align: 'right', cell: (row) => <RelativeTime at={row.lastUsedAt} /> },
  { header: 'Expires', align: 'right', wideOnly: true, cell: (row) => <RelativeTime at={row.expiresAt} /> },
];

/** Where a customer is signed in; one of these, or all, can be ended. */
export function CustomerSessions({ customerId }: { customerId: string }): ReactNode {
  const canRevoke = useCan('operator');
  const [asked, setAsked] = useState<Session | null>(null);
  const list = useList({ path: '/operator/v1/customers/{customerId}/sessions', at: { customerId } });
  const revoke = useSend(
    (sessionId: string) =>
      data(
        api.DELETE('/operator/v1/customers/{customerId}/sessions/{sessionId}', {
          params: { path: { customerId, sessionId } },
        }),
      ),
    REFRESHED,
  );
  const action: Column<Session> = {
    header: 'Actions',
    align: 'right',
    cell: (row) => (
      <Button
        variant="subtle"
        size="compact-xs"
        color="red.8"
        c="var(--bad)"
        aria-label={`Revoke ${row.device ?? 'this session'}`}
        onClick={() => setAsked(row)}
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
        columns={canRevoke ? [...columns, action] : columns}
        empty={{
          title: 'No active sessions',
          text: 'A session starts when the customer registers or signs in.',
        }}
        toolbar={list.rows.length > 0 && <RevokeAll customerId={customerId} />}
      />
      <ActionDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title="Revoke this session?"
        confirm="Revoke session"
        danger
        onConfirm={async () => {
          if (!asked) return;
          await revoke.mutateAsync(asked.id);
          toastDone('Session revoked');
        }}
      >
        <Text>
          <ForeignText text={asked?.device} none="The device" /> at{' '}
          <ForeignText text={asked?.ip} none="an unknown address" mono /> is signed out immediately. The
          customer can sign in again.
        </Text>
      </ActionDialog>
    </>
  );
}

function RevokeAll({ customerId }: { customerId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const revoke = useSend(
    () =>
      data(api.DELETE('/operator/v1/customers/{customerId}/sessions', { params: { path: { customerId } } })),
    REFRESHED,
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
        confirm="Revoke all sessions"
        danger
        onConfirm={async () => {
          await revoke.mutateAsync(undefined);
          toastDone('All sessions revoked');
        }}
      >
        <Text>The customer is signed out immediately on all devices and can sign in again.</Text>
      </ActionDialog>
    </Can>
  );
}
