import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { UntrustedText } from '../components/untrusted-text';
import type { AuditEntry } from './audit-actions';
import classes from './audit-changes.module.css';

type Change = { from: unknown; to: unknown };

/** Renders a table with an entry's old and new values, or nothing if it contains none. */
export function AuditChanges({ details }: { details: AuditEntry['details'] }): ReactNode {
  const changes = Object.entries((details.changes ?? {}) as Record<string, Change>);
  if (changes.length === 0) return null;
  return (
    <Table className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Field</Table.Th>
          <Table.Th>Old value</Table.Th>
          <Table.Th>New value</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(([field, { from, to }]) => (
          <Table.Tr key={field}>
            <Table.Td>
              <UntrustedText text={field} />
            </Table.Td>
            <Table.Td>
              <UntrustedText text={formatValue(from)} />
            </Table.Td>
            <Table.Td>
              <UntrustedText text={formatValue(to)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'Yes';
  if (value === false) return 'No';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(formatValue).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
