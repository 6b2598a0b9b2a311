import { Paper, SimpleGrid, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../app/session';

/** What each role may, the least first; each may what those before it may. */
export const roles: Record<Role, { label: string; may: string }> = {
  viewer: { label: 'Viewer', may: 'Reads everything in this console, and changes nothing.' },
  operator: {
    label: 'Operator',
    may: 'Also redelivers and discards, disables and enables endpoints and customers, ends sessions, and resends mails.',
  },
  admin: {
    label: 'Admin',
    may: 'Also changes projects, keys, endpoints, organizations and customers, deletes customers, and invites operators.',
  },
};

/** The three roles side by side. */
export function RolesExplained(): ReactNode {
  return (
    <Paper component="section" aria-label="What each role may do" mt="lg">
      <Title order={2} mb="sm">
        What each role may do
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {Object.values(roles).map(({ label, may }) => (
          <div key={label}>
            <Text fw={600}>{label}</Text>
            <Text c="dimmed">{may}</Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}
