import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useReplaceSession } from '../app/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { CodeInput } from '../parts/code-input';
import { SignInProblem } from '../parts/sign-in-problem';
import { StartOver } from './start-over';

/** A code of the authenticator, or one of those for when it is lost. */
export function CodeStep(): ReactNode {
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const enter = useReplaceSession();
  const prove = useApiMutation(() => unwrap(api.POST(`${SESSION_PATH}/second-factor`, { body: { code } })));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!prove.isPending) prove.mutate(undefined, { onSuccess: enter, onError: () => setCode('') });
  };
  const turn = (): void => {
    setRecovery(!isRecovery);
    setCode('');
    prove.reset();
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
        <SignInProblem problem={prove.error} />
        <Button type="submit" loading={prove.isPending}>
          Continue
        </Button>
        <Group justify="space-between" gap="xs">
          <Anchor component="button" type="button" onClick={turn}>
            {isRecovery ? 'Use an authenticator code' : 'Use a recovery code'}
          </Anchor>
          <StartOver />
        </Group>
      </Stack>
    </form>
  );
}
