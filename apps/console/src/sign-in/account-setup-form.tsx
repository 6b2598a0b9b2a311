import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useReplaceSession, type Session } from '../app/session';
import { useApiMutation } from '../http/queries';
import { PasswordField } from '../parts/password-field';
import { SignInLayout } from './sign-in-layout';
import { useLinkToken } from './use-link-token';
import { SignInProblem } from '../parts/sign-in-problem';

export interface AccountSetup {
  token: string;
  email: string;
  name: string | null;
  password: string;
}

interface AccountSetupFormProps {
  title: string;
  description: string;
  /** Whether the address is asked for; an invitation has one. */
  requiresEmail?: boolean;
  onSubmit: (admission: AccountSetup) => Promise<Session>;
}

/** What somebody fills in who comes by a one-time link. Signing in goes on with the authenticator. */
export function AccountSetupForm({
  title,
  description,
  requiresEmail,
  onSubmit,
}: AccountSetupFormProps): ReactNode {
  const token = useLinkToken();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const enter = useReplaceSession();
  const navigate = useNavigate();
  const admit = useApiMutation(() =>
    onSubmit({ token: token ?? '', email, name: name.trim() || null, password }),
  );
  const faults = admit.error?.fields ?? {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (admit.isPending) return;
    admit.mutate(undefined, {
      onSuccess: (session) => {
        enter(session);
        void navigate('/sign-in', { replace: true });
      },
    });
  };
  if (!token) {
    return (
      <SignInLayout title={title}>
        <Text>This link is incomplete. Open the full link that you received.</Text>
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title={title} description={description}>
      <form onSubmit={submit}>
        <Stack>
          {requiresEmail && (
            <TextInput
              label="Email"
              type="email"
              name="username"
              autoComplete="username"
              required
              autoFocus
              error={faults['email']}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
          )}
          <TextInput
            label="Name"
            description="Shown to other operators. Optional."
            name="name"
            autoComplete="name"
            autoFocus={!requiresEmail}
            error={faults['name']}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordField
            label="Password"
            kind="new-password"
            value={password}
            onChange={setPassword}
            error={faults['password']}
          />
          <SignInProblem problem={admit.error} />
          <Button type="submit" loading={admit.isPending}>
            Continue
          </Button>
        </Stack>
      </form>
    </SignInLayout>
  );
}
