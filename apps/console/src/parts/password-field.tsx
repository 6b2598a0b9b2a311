import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface PasswordFieldProps {
  label: string;
  /** What password managers are told: the one that is kept, or one to be made. */
  kind: 'current-password' | 'new-password';
  name?: string;
  value: string;
  onChange: (password: string) => void;
  error?: ReactNode;
}

/** A field for an operator's password. */
export function PasswordField(props: PasswordFieldProps): ReactNode {
  const { label, kind, name = kind, value, onChange, error } = props;
  return (
    <PasswordInput
      label={label}
      description={kind === 'new-password' && 'At least 12 characters. Any character is allowed.'}
      name={name}
      autoComplete={kind}
      required
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
