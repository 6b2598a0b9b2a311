import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface PasswordFieldProps {
  label: string;
  /** Instructs password managers to fill in the stored password or to suggest a new one. */
  kind: 'current-password' | 'new-password';
  name?: string;
  value: string;
  onChange: (password: string) => void;
  error?: ReactNode;
}

/** Renders the input for an operator's password. */
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
