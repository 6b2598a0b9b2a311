import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { refusalLabel } from './redelivery-batch';

interface RefusalListProps {
  /** The list's label: "Excluded". */
  name: string;
  refusals: Schemas['RefusalCountResponse'][];
}

/** Renders how many deliveries were excluded, by reason. */
export function RefusalList({ name, refusals }: RefusalListProps): ReactNode {
  if (refusals.length === 0) return null;
  return (
    <Table fz="sm" aria-label={name} withRowBorders={false} verticalSpacing={2} horizontalSpacing={0}>
      <Table.Tbody>
        {refusals.map(({ reason, count }) => (
          <Table.Tr key={reason}>
            <Table.Td ta="right" pr="sm" w="4.5rem" fw={600}>
              {count.toLocaleString('en')}
            </Table.Td>
            <Table.Td>{refusalLabel(reason)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
