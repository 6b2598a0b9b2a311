import { Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Problem } from '../http/problem';
import { SignInProblem } from './sign-in-problem';

interface PasskeyFormProps {
  isPending: boolean;
  problem: Problem | null;
  onSubmit: (name: string) => void;
  footer?: ReactNode;
}

export function PasskeyForm({ isPending, problem, onSubmit, footer }: PasskeyFormProps): ReactNode {
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending) onSubmit(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name of the passkey"
          description="For example, the device or password manager that stores it."
          name="passkey"
          autoComplete="off"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SignInProblem problem={problem} />
        <Button type="submit" loading={isPending} disabled={!name.trim()}>
          Add passkey
        </Button>
        {footer}
      </Stack>
    </form>
  );
}
