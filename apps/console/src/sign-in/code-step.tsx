import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useReplaceSession } from '../session/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { CodeInput } from './code-input';
import { SignInProblem } from './sign-in-problem';
import { StartOver } from './start-over';

/** Renders the input for an authenticator code, or for a recovery code if the authenticator is lost. */
export function CodeStep(): ReactNode {
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const replaceSession = useReplaceSession();
  const verify = useApiMutation(() => unwrap(api.POST(`${SESSION_PATH}/second-factor`, { body: { code } })));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!verify.isPending)
      verify.mutate(undefined, { onSuccess: replaceSession, onError: () => setCode('') });
  };
  const toggle = (): void => {
    setRecovery(!isRecovery);
    setCode('');
    verify.reset();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <CodeInput
          key={String(isRecovery)}
          isRecovery={isRecovery}
          value={code}
          onChange={setCode}
          autoFocus
        />
        <SignInProblem problem={verify.error} />
        <Button type="submit" loading={verify.isPending}>
          Continue
        </Button>
        <Group justify="space-between" gap="xs">
          <Anchor component="button" type="button" onClick={toggle}>
            {isRecovery ? 'Use an authenticator code' : 'Use a recovery code'}
          </Anchor>
          <StartOver />
        </Group>
      </Stack>
    </form>
  );
}
