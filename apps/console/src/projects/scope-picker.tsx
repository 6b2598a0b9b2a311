import { Button, Checkbox, Group, Input, SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { scopes, type Scope } from './api-key';

interface ScopePickerProps {
  value: Scope[];
  onChange: (scopes: Scope[]) => void;
  error?: string;
}

const presets: Record<string, readonly Scope[]> = {
  Customers: ['customer:read', 'customer:write'],
  // Excludes the mailbox, because anyone who opens a link in a captured email can sign in as its customer.
  'Read-only': scopes.filter((scope) => scope.endsWith(':read') && scope !== 'mailbox:read'),
  'All scopes': scopes,
  None: [],
};

/** Renders the inputs for a secret key's scopes, with presets. */
export function ScopePicker({ value, onChange, error }: ScopePickerProps): ReactNode {
  return (
    <Checkbox.Group
      label="Scopes"
      description="What the key can do. Select only the scopes that it needs."
      value={value}
      onChange={(picked) => onChange(scopes.filter((scope) => picked.includes(scope)))}
      error={error}
    >
      <Group gap={6} my={8}>
        {Object.entries(presets).map(([label, preset]) => (
          <Button
            key={label}
            size="compact-xs"
            variant={preset.join() === value.join() ? 'light' : 'default'}
            aria-pressed={preset.join() === value.join()}
            onClick={() => onChange([...preset])}
          >
            {label}
          </Button>
        ))}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={6}>
        {scopes.map((scope) => (
          <Checkbox key={scope} size="xs" value={scope} label={scope} />
        ))}
      </SimpleGrid>
      {value.includes('customer:export_hashes') && (
        <Input.Description mt={8}>
          customer:export_hashes exports password hashes. Use it only to migrate to another system.
        </Input.Description>
      )}
      {value.includes('customer:impersonate') && (
        <Input.Description mt={8}>
          customer:impersonate signs in as any customer. Use it only for support and tests.
        </Input.Description>
      )}
      {value.includes('session:migrate') && (
        <Input.Description mt={8}>
          session:migrate opens sessions of any customer, with any authentication methods. Use it only to move
          sessions from another system, and revoke the key afterward.
        </Input.Description>
      )}
      {value.includes('mailbox:read') && (
        <Input.Description mt={8}>
          mailbox:read reads captured emails with their one-time links. No emails are captured while a mail
          server is configured.
        </Input.Description>
      )}
    </Checkbox.Group>
  );
}
