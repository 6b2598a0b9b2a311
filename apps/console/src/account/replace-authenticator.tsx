import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { EnrollmentForm } from '../sign-in/enrollment-step';
import { SESSION_PATH } from '../session/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { CodeInput } from '../sign-in/code-input';
import { RecoveryCodes } from '../sign-in/recovery-codes';
import { SignInProblem } from '../sign-in/sign-in-problem';

/** Renders the two steps that replace the authenticator app: entering a code, and enrolling the new app. */
export function ReplaceAuthenticator(): ReactNode {
  const [enrollment, setEnrollment] = useState<Schemas['EnrollmentResponse'] | null>(null);
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);
  const finish = (codes: string[]): void => {
    setEnrollment(null);
    setRecoveryCodes(codes);
  };
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onSaved={() => setRecoveryCodes(null)} />;
  if (!enrollment) return <CurrentCodeForm onAccepted={setEnrollment} />;
  const cancelButton = (
    <Button variant="default" onClick={() => setEnrollment(null)}>
      Cancel
    </Button>
  );
  return <EnrollmentForm enrollment={enrollment} onEnrolled={finish} footer={cancelButton} />;
}

interface CurrentCodeFormProps {
  onAccepted: (enrollment: Schemas['EnrollmentResponse']) => void;
}

function CurrentCodeForm({ onAccepted }: CurrentCodeFormProps): ReactNode {
  const [code, setCode] = useState('');
  const replace = useApiMutation(() =>
    unwrap(api.POST(`${SESSION_PATH}/enrollment/replace`, { body: { code } })),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!replace.isPending) replace.mutate(undefined, { onSuccess: onAccepted, onError: () => setCode('') });
  };
  return (
    <form onSubmit={submit}>
      <Stack maw={360}>
        <Text c="dimmed">
          To move to another authenticator app, enter a code from the current one or a recovery code. The new
          app replaces the current one and all recovery codes.
        </Text>
        <CodeInput value={code} onChange={setCode} label="Current code" />
        <SignInProblem problem={replace.error} />
        <Group>
          <Button type="submit" variant="default" loading={replace.isPending}>
            Replace authenticator app
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
