import { Paper, SimpleGrid, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../session/session';

/** Each role's permissions, in ascending order. Each role includes the previous roles' permissions. */
export const roles: Record<Role, { label: string; permissions: string }> = {
  viewer: { label: 'Viewer', permissions: 'Can view records in the console but cannot change anything.' },
  operator: {
    label: 'Operator',
    permissions:
      'Can also redeliver and discard deliveries; disable, enable, test and recover endpoints; disable, enable, unlock and export customers, end their sessions and send them their links by email; and read the mailbox.',
  },
  admin: {
    label: 'Admin',
    permissions:
      'Can also change organizations, projects, API keys, endpoints and operators, create, change, import and delete customers, and replay deliveries to other URLs.',
  },
};

/** Renders the permissions of the three roles side by side. */
export function RolePermissions(): ReactNode {
  return (
    <Paper component="section" aria-label="Role permissions" mt="lg">
      <Title order={2} mb="sm">
        Role permissions
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {Object.values(roles).map(({ label, permissions }) => (
          <div key={label}>
            <Text fw={600}>{label}</Text>
            <Text c="dimmed">{permissions}</Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}
