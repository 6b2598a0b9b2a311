import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

interface CodeInputProps {
  value: string;
  onChange: (code: string) => void;
  /** Accepts a recovery code instead of six digits. */
  isRecovery?: boolean;
  autoFocus?: boolean;
  label?: string;
  error?: ReactNode;
}

/** Renders the input for a second-factor code. */
export function CodeInput({
  value,
  onChange,
  isRecovery,
  autoFocus,
  label,
  error,
}: CodeInputProps): ReactNode {
  return (
    <TextInput
      label={label ?? (isRecovery ? 'Recovery code' : 'Authenticator code')}
      description={isRecovery ? 'Each code works once.' : 'Six digits. The code changes every 30 seconds.'}
      name="code"
      // Password managers fill in the authenticator code, but never a recovery code.
      autoComplete={isRecovery ? 'off' : 'one-time-code'}
      inputMode={isRecovery ? 'text' : 'numeric'}
      maxLength={64}
      spellCheck={false}
      required
      autoFocus={autoFocus}
      data-autofocus={autoFocus || undefined}
      error={error}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '0.08em' } }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
