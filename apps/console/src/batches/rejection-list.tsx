import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { rejectionLabel } from './redelivery-batch';

interface RejectionListProps {
  /** The list's label: "Excluded". */
  name: string;
  rejections: Schemas['RefusalCountResponse'][];
}

/** Renders the number of excluded deliveries for each reason. */
export function RejectionList({ name, rejections }: RejectionListProps): ReactNode {
  if (rejections.length === 0) return null;
  return (
    <Table fz="sm" aria-label={name} withRowBorders={false} verticalSpacing={2} horizontalSpacing={0}>
      <Table.Tbody>
        {rejections.map(({ reason, count }) => (
          <Table.Tr key={reason}>
            <Table.Td ta="right" pr="sm" w="4.5rem" fw={600}>
              {count.toLocaleString('en')}
            </Table.Td>
            <Table.Td>{rejectionLabel(reason)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
