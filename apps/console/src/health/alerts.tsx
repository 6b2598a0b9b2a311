import { Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { ActionDialog } from '../components/action-dialog';
import { QueryContent } from '../components/query-content';
import { RelativeTime } from '../components/relative-time';
import { Badge, type Tone } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { api, type Schemas } from '../http/client';
import { useApiMutation, useGet } from '../http/queries';
import { alertKindLabels } from './alert-kinds';

type AlertEntry = Schemas['AlertResponse'];
type Channel = AlertEntry['channel'];

const PATH = '/operator/v1/health/alerts';
const REFETCH_INTERVAL_MS = 5_000;

const channelLabels: Record<Channel, string> = { webhook: 'Webhook', email: 'Email' };

const states: Record<AlertEntry['state'], string> = { open: 'Opened', over: 'Resolved', test: 'Test' };

const outcomes: Record<AlertEntry['outcome'], [tone: Tone, label: string]> = {
  queued: ['calm', 'Waiting for a worker'],
  sent: ['good', 'Sent'],
  failed: ['bad', 'Failed'],
};

/** Renders the newest alerts with their outcomes, and sends test alerts. */
export function Alerts(): ReactNode {
  const query = useGet(PATH, {}, { refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <Paper component="section" aria-label="Alerts">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Last 50 alerts</Title>
        <Can role="admin">
          <Group gap="xs">
            <TestAlert channel="webhook" setting="ALERT_WEBHOOK_URL" />
            <TestAlert channel="email" setting="ALERT_EMAIL" />
          </Group>
        </Can>
      </Group>
      <QueryContent query={query}>{({ data }) => <AlertTable alerts={data} />}</QueryContent>
    </Paper>
  );
}

function TestAlert({ channel, setting }: { channel: Channel; setting: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const send = useApiMutation(() => api.POST('/operator/v1/health/test-alert', { body: { channel } }), PATH);
  const title = `Send test alert by ${channelLabels[channel].toLowerCase()}`;
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        {title}
      </Button>
      <ActionDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        confirmLabel="Send test alert"
        onConfirm={async () => {
          await send.mutateAsync();
          toastSuccess('Test alert queued');
        }}
      >
        <Text>A worker sends it to {setting} within seconds. The list below shows the outcome.</Text>
      </ActionDialog>
    </>
  );
}

function AlertTable({ alerts }: { alerts: AlertEntry[] }): ReactNode {
  if (alerts.length === 0)
    return (
      <Text c="dimmed">
        No alerts yet. Workers send them to ALERT_WEBHOOK_URL and ALERT_EMAIL, if these are set.
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table fz="sm" aria-label="Alerts">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Alert</Table.Th>
            <Table.Th>Channel</Table.Th>
            <Table.Th>Outcome</Table.Th>
            <Table.Th>Resolved</Table.Th>
            <Table.Th ta="right">When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {alerts.map((alert) => (
            <Table.Tr key={alert.id}>
              <Table.Td>
                {alertKindLabels[alert.kind]}
                {alert.kind !== 'test' && (
                  <Text span c="dimmed" fz="xs" display="block">
                    {states[alert.state]}
                    {alert.count !== null && ` · ${alert.count.toLocaleString('en')}`}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>{channelLabels[alert.channel]}</Table.Td>
              <Table.Td>
                <Outcome alert={alert} />
              </Table.Td>
              <Table.Td>
                <RelativeTime at={alert.resolvedAt} fallback={alert.state === 'open' ? 'No' : '–'} />
              </Table.Td>
              <Table.Td ta="right">
                <RelativeTime at={alert.createdAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Outcome({ alert: { outcome, reason, attempts } }: { alert: AlertEntry }): ReactNode {
  const [tone, label] = outcomes[outcome];
  return (
    <Stack gap={2} align="flex-start">
      <Badge tone={tone}>{label}</Badge>
      {reason !== null && (
        <Text span fz="xs" c="dimmed">
          <UntrustedText text={reason} />
        </Text>
      )}
      {attempts > 1 && (
        <Text span fz="xs" c="dimmed">
          {attempts} attempts
        </Text>
      )}
    </Stack>
  );
}
