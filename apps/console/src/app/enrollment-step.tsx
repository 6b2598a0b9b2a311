import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useEnterSession } from './session';
import { api, data } from '../http/client';
import { asProblem, type Problem } from '../http/problem';
import { useSend } from '../http/queries';
import type { Schemas } from '../http/client';
import { CodeInput } from '../parts/code-input';
import { CopyTextButton } from '../parts/copy-button';
import { Loaded } from '../parts/loaded';
import classes from './enrollment-step.module.css';
import { QrCode } from './qr-code';
import { SignInProblem } from '../parts/sign-in-problem';

interface EnrollmentStepProps {
  onEnrolled: (recoveryCodes: string[]) => void;
  /** Shown below the form: how to leave it. */
  exit?: ReactNode;
}

/** Enrolls an authenticator for an operator who has none. */
export function EnrollmentStep({ onEnrolled, exit }: EnrollmentStepProps): ReactNode {
  // Asked for once: each answer voids the one before.
  const proposal = useQuery<Schemas['EnrollmentResponse'], Problem>({
    queryKey: [`${SESSION_PATH}/enrollment`],
    queryFn: () =>
      data(api.POST(`${SESSION_PATH}/enrollment`, {})).catch((error: unknown) => {
        throw asProblem(error);
      }),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  return (
    <Loaded query={proposal}>
      {(shown) => <EnrollmentForm proposal={shown} onEnrolled={onEnrolled} exit={exit} />}
    </Loaded>
  );
}

interface EnrollmentFormProps extends EnrollmentStepProps {
  proposal: Schemas['EnrollmentResponse'];
}

function EnrollmentForm({
  proposal: { secret, otpauthUri },
  onEnrolled,
  exit,
}: EnrollmentFormProps): ReactNode {
  const [code, setCode] = useState('');
  const enter = useEnterSession();
  const confirm = useSend(() => data(api.POST(`${SESSION_PATH}/enrollment/confirm`, { body: { code } })));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (confirm.isPending) return;
    confirm.mutate(undefined, {
      onSuccess: ({ session, recoveryCodes }) => {
        onEnrolled(recoveryCodes);
        enter(session);
      },
      onError: () => setCode(''),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>
          Each time you sign in, the console requires a code in addition to your password. Scan this QR code
          with an authenticator app, or enter the setup key in the app.
        </Text>
        <QrCode text={otpauthUri} label="QR code for an authenticator app" />
        <div>
          <Text size="xs" c="dimmed">
            Setup key
          </Text>
          <Group gap="sm">
            <code className={classes.secret}>{secret.match(/.{1,4}/g)?.join(' ')}</code>
            <CopyTextButton value={secret} name="setup key" />
          </Group>
        </div>
        <CodeInput value={code} onChange={setCode} label="Code from the app" />
        <SignInProblem problem={confirm.error} />
        <Button type="submit" loading={confirm.isPending}>
          Continue
        </Button>
        {exit}
      </Stack>
    </form>
  );
}
