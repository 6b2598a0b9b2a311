import { Button, Group, Modal, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { useGet } from '../http/queries';
import { UntrustedText } from '../components/untrusted-text';
import { QueryContent } from '../components/query-content';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import type { Operator } from './operator-actions';
import { SessionState } from './session-state';

interface OperatorSessionsProps {
  operator: Operator;
  onClose: () => void;
  onRevokeAll: () => void;
}

export function OperatorSessions({ operator, onClose, onRevokeAll }: OperatorSessionsProps): ReactNode {
  const query = useGet('/operator/v1/operators/{operatorId}/sessions', { path: { operatorId: operator.id } });
  return (
    <Modal opened onClose={onClose} title="Sessions" size="xl">
      <Text fw={600} mb="sm">
        <UntrustedText text={operator.email} />
      </Text>
      <QueryContent query={query}>
        {({ data: sessions }) =>
          sessions.length === 0 ? (
            <Text c="dimmed">No active sessions</Text>
          ) : (
            <>
              <SessionTable sessions={sessions} />
              <Group justify="flex-end" mt="md">
                <Button variant="outline" color="red.8" c="var(--bad)" onClick={onRevokeAll}>
                  Revoke all sessions
                </Button>
              </Group>
            </>
          )
        }
      </QueryContent>
    </Modal>
  );
}

function SessionTable({ sessions }: { sessions: Schemas['OperatorSessionEntry'][] }): ReactNode {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table fz="sm" aria-label="Sessions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">IP address</Table.Th>
            <Table.Th scope="col">Browser</Table.Th>
            <Table.Th scope="col">Signed in</Table.Th>
            <Table.Th scope="col">Last seen</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <Table.Tr key={session.id}>
              <Table.Td>
                <UntrustedText text={session.ip} mono />{' '}
                {session.current && <Badge tone="info">Current session</Badge>}
                <SessionState session={session} />
              </Table.Td>
              <Table.Td>
                <UntrustedText text={session.userAgent} />
              </Table.Td>
              <Table.Td>
                <RelativeTime at={session.createdAt} />
              </Table.Td>
              <Table.Td>
                <RelativeTime at={session.lastSeenAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
