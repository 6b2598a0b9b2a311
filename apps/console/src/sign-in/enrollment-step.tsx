import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useReplaceSession } from '../session/session';
import { api, unwrap } from '../http/client';
import { toProblem, type Problem } from '../http/problem';
import { useApiMutation } from '../http/queries';
import type { Schemas } from '../http/client';
import { CodeInput } from './code-input';
import { CopyTextButton } from '../components/copy-button';
import { QueryContent } from '../components/query-content';
import classes from './enrollment-step.module.css';
import { QrCode } from './qr-code';
import { SignInProblem } from './sign-in-problem';

export interface EnrollmentStepProps {
  onEnrolled: (recoveryCodes: string[]) => void;
  /** Controls below the form, such as a cancel button. */
  footer?: ReactNode;
}

/** Renders the step that enrolls an authenticator for an operator who has none. */
export function EnrollmentStep({ onEnrolled, footer }: EnrollmentStepProps): ReactNode {
  // Requested only once, because each response invalidates the previous one.
  const enrollmentQuery = useQuery<Schemas['EnrollmentResponse'], Problem>({
    queryKey: [`${SESSION_PATH}/enrollment`],
    queryFn: () =>
      unwrap(api.POST(`${SESSION_PATH}/enrollment`, {})).catch((error: unknown) => {
        throw toProblem(error);
      }),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  return (
    <QueryContent query={enrollmentQuery}>
      {(enrollment) => <EnrollmentForm enrollment={enrollment} onEnrolled={onEnrolled} footer={footer} />}
    </QueryContent>
  );
}

interface EnrollmentFormProps extends EnrollmentStepProps {
  enrollment: Schemas['EnrollmentResponse'];
}

/** Shows a new authenticator's secret, and confirms it with its first code. */
export function EnrollmentForm({
  enrollment: { secret, otpauthUri },
  onEnrolled,
  footer,
}: EnrollmentFormProps): ReactNode {
  const [code, setCode] = useState('');
  const replaceSession = useReplaceSession();
  const confirm = useApiMutation(() =>
    unwrap(api.POST(`${SESSION_PATH}/enrollment/confirm`, { body: { code } })),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (confirm.isPending) return;
    confirm.mutate(undefined, {
      onSuccess: ({ session, recoveryCodes }) => {
        onEnrolled(recoveryCodes);
        replaceSession(session);
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
        {footer}
      </Stack>
    </form>
  );
}
