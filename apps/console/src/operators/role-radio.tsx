import { Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../app/session';
import { roles } from './roles-explained';

interface RoleRadioProps {
  value: Role;
  onChange: (role: Role) => void;
  error?: string;
}

/** A choice of role, with what it means. */
export function RoleRadio({ value, onChange, error }: RoleRadioProps): ReactNode {
  return (
    <Radio.Group label="Role" value={value} onChange={(role) => onChange(role)} error={error}>
      <Stack gap="xs" mt={6}>
        {Object.entries(roles).map(([role, { label, may }]) => (
          <Radio key={role} value={role} label={label} description={may} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
