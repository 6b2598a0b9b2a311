import { Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { CopyTextButton } from '../parts/copy-button';
import { ForeignText } from '../parts/foreign-text';
import { JsonView } from '../parts/json-view';
import { asCurl } from './curl';

/** What is sent. */
export function Request({ delivery }: { delivery: Schemas['DeliveryResponse'] }): ReactNode {
  const { request, target_url: url } = delivery;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>Request</Title>
        <CopyTextButton name="as cURL" value={asCurl(url, request)} />
      </Group>
      <Table fz="xs" aria-label="Request headers" horizontalSpacing={0} verticalSpacing={3} layout="fixed">
        <Table.Tbody>
          {Object.entries(request.headers).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th fw={500} w="9.5rem" c="dimmed" style={{ verticalAlign: 'top' }}>
                <ForeignText text={name} />
              </Table.Th>
              <Table.Td>
                <ForeignText text={value} mono />
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
