import { Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useReplaceSession } from '../app/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { PasswordField } from '../components/password-field';
import { SignInProblem } from '../components/sign-in-problem';

export function PasswordStep(): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const replaceSession = useReplaceSession();
  const signIn = useApiMutation(() => unwrap(api.POST(SESSION_PATH, { body: { email, password } })));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!signIn.isPending) signIn.mutate(undefined, { onSuccess: replaceSession });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Email"
          type="email"
          name="username"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordField
          label="Password"
          name="password"
          kind="current-password"
          value={password}
          onChange={setPassword}
        />
        <SignInProblem problem={signIn.error} />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
