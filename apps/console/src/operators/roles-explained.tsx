import { Paper, SimpleGrid, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../app/session';

/** What each role may, the least first; each may what those before it may. */
export const roles: Record<Role, { label: string; may: string }> = {
  viewer: { label: 'Viewer', may: 'Can view records in the console but cannot change anything.' },
  operator: {
    label: 'Operator',
    may: 'Can also redeliver and discard deliveries, disable and enable endpoints and customers, revoke sessions, and resend emails.',
  },
  admin: {
    label: 'Admin',
    may: 'Can also change projects, API keys, endpoints, organizations and customers, delete customers, and invite operators.',
  },
};

/** The three roles side by side. */
export function RolesExplained(): ReactNode {
  return (
    <Paper component="section" aria-label="Role permissions" mt="lg">
      <Title order={2} mb="sm">
        Role permissions
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
