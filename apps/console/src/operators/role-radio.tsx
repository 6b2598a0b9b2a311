import { Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../session/session';
import { roles } from './role-permissions';

interface RoleRadioProps {
  value: Role;
  onChange: (role: Role) => void;
  error?: string;
}

/** Renders the radio buttons for the roles, with each role's permissions. */
export function RoleRadio({ value, onChange, error }: RoleRadioProps): ReactNode {
  return (
    <Radio.Group label="Role" value={value} onChange={(role) => onChange(role)} error={error}>
      <Stack gap="xs" mt={6}>
        {Object.entries(roles).map(([role, { label, permissions }]) => (
          <Radio key={role} value={role} label={label} description={permissions} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
