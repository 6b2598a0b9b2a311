import { Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { CopyTextButton } from '../components/copy-button';
import { UntrustedText } from '../components/untrusted-text';
import { JsonView } from '../components/json-view';
import { toCurl } from './to-curl';

/** Renders the headers and the body of a delivery's request. */
export function DeliveryRequest({ delivery }: { delivery: Schemas['DeliveryResponse'] }): ReactNode {
  const { request, target_url: url } = delivery;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>Request</Title>
        <CopyTextButton name="as cURL" value={toCurl(url, request)} />
      </Group>
      <Table fz="xs" aria-label="Request headers" horizontalSpacing={0} verticalSpacing={3} layout="fixed">
        <Table.Tbody>
          {Object.entries(request.headers).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th fw={500} w="9.5rem" c="dimmed" style={{ verticalAlign: 'top' }}>
                <UntrustedText text={name} />
              </Table.Th>
              <Table.Td>
                <UntrustedText text={value} mono />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        The timestamp and signature change with every attempt and are not stored, so the cURL command does not
        contain them. Values of custom headers are never shown.
      </Text>
      <JsonView name="Request body" value={request.body} />
    </Stack>
  );
}
