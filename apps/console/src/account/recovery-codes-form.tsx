import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH } from '../session/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { CodeInput } from '../sign-in/code-input';
import { ProblemAlert } from '../components/problem-alert';
import { RecoveryCodes } from '../sign-in/recovery-codes';

export function RecoveryCodesForm(): ReactNode {
  const [code, setCode] = useState('');
  const renew = useApiMutation(() => unwrap(api.POST(`${SESSION_PATH}/recovery-codes`, { body: { code } })));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!renew.isPending) renew.mutate(undefined, { onSettled: () => setCode('') });
  };
  if (renew.data) return <RecoveryCodes codes={renew.data.recoveryCodes} onSaved={renew.reset} />;
  const isIncorrect = renew.error?.code === 'invalid_code';
  return (
    <form onSubmit={submit}>
      <Stack maw={360}>
        <Text c="dimmed">New codes replace all remaining codes. This cannot be undone.</Text>
        <CodeInput
          value={code}
          onChange={setCode}
          error={isIncorrect && 'This code is incorrect, expired or already used. Wait for the next one.'}
        />
        {renew.error && !isIncorrect && <ProblemAlert error={renew.error} />}
        <Group>
          <Button type="submit" variant="default" loading={renew.isPending}>
            Generate new codes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
