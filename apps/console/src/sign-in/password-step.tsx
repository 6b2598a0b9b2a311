import { Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useReplaceSession } from '../session/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { PasswordField } from './password-field';
import { SignInProblem } from './sign-in-problem';
import { StartOver } from './start-over';

/** @param fixedEmail the email address of the only operator who can sign in */
export function PasswordStep({ fixedEmail }: { fixedEmail?: string | undefined }): ReactNode {
  const [email, setEmail] = useState(fixedEmail ?? '');
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
          autoFocus={fixedEmail === undefined}
          readOnly={fixedEmail !== undefined}
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
        {fixedEmail !== undefined && <StartOver />}
      </Stack>
    </form>
  );
}
