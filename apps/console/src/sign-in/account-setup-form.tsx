import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useReplaceSession, type Session } from '../session/session';
import { useApiMutation } from '../http/queries';
import { PasswordField } from './password-field';
import { SignInLayout } from './sign-in-layout';
import { useLinkToken } from './use-link-token';
import { SignInProblem } from './sign-in-problem';

export interface AccountSetup {
  token: string;
  email: string;
  name: string | null;
  password: string;
}

interface AccountSetupFormProps {
  title: string;
  description: string;
  /** Shows the field for the email address. An invitation already has one. */
  requiresEmail?: boolean;
  onSubmit: (setup: AccountSetup) => Promise<Session>;
}

/** Renders the form behind a one-time link. The sign-in then continues with the second factor. */
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
  const replaceSession = useReplaceSession();
  const navigate = useNavigate();
  const setUpAccount = useApiMutation(() =>
    onSubmit({ token: token ?? '', email, name: name.trim() || null, password }),
  );
  const fieldErrors = setUpAccount.error?.fields ?? {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (setUpAccount.isPending) return;
    setUpAccount.mutate(undefined, {
      onSuccess: (session) => {
        replaceSession(session);
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
              error={fieldErrors['email']}
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
            error={fieldErrors['name']}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordField
            label="Password"
            kind="new-password"
            value={password}
            onChange={setPassword}
            error={fieldErrors['password']}
          />
          <SignInProblem problem={setUpAccount.error} />
          <Button type="submit" loading={setUpAccount.isPending}>
            Continue
          </Button>
        </Stack>
      </form>
    </SignInLayout>
  );
}
