import { Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { OrganizationMultiSelect } from './organization-multi-select';

const MAX_ORGANIZATIONS = 50;

interface AccessInputProps {
  /** The organizations that the operator is limited to; null for no limit. */
  value: string[] | null;
  onChange: (organizationIds: string[] | null) => void;
  error?: string;
}

/** Renders the choice between installation-wide access and some organizations. */
export function AccessInput({ value, onChange, error }: AccessInputProps): ReactNode {
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Access"
        value={value ? 'organizations' : 'installation'}
        onChange={(access) => onChange(access === 'organizations' ? [] : null)}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="installation" label="Entire installation" />
          <Radio
            value="organizations"
            label="Selected organizations"
            description="Cannot see other organizations, the health of the installation, or other operators"
          />
        </Stack>
      </Radio.Group>
      {value && (
        <OrganizationMultiSelect
          value={value}
          onChange={onChange}
          maxValues={MAX_ORGANIZATIONS}
          error={error}
        />
      )}
    </Stack>
  );
}
