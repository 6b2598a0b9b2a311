import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useOperator } from '../app/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { PasswordField } from '../parts/password-field';
import { ProblemAlert } from '../parts/problem-alert';
import { toastSuccess } from '../parts/toast';
import { OWN_SESSIONS_PATH } from './own-sessions';

export function PasswordForm(): ReactNode {
  const { email } = useOperator();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useApiMutation(
    () => unwrap(api.POST(`${SESSION_PATH}/password`, { body: { currentPassword, newPassword } })),
    OWN_SESSIONS_PATH,
    '/operator/v1/operators/',
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (change.isPending) return;
    change.mutate(undefined, {
      onSuccess: () => {
        setCurrent('');
        setNew('');
        toastSuccess('Password changed. Your other sessions were revoked.');
      },
    });
  };
  const isWrong = change.error?.code === 'invalid_credentials';
  const fault = change.error?.fields['newPassword'];
  return (
    <form onSubmit={submit}>
      <Stack maw={360}>
        <Text c="dimmed">Changing your password revokes your other sessions.</Text>
        {/* Password managers ask whose password it is. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Current password"
          kind="current-password"
          value={currentPassword}
          onChange={setCurrent}
          error={isWrong && 'The current password is incorrect'}
        />
        <PasswordField
          label="New password"
          kind="new-password"
          value={newPassword}
          onChange={setNew}
          error={fault}
        />
        {change.error && !isWrong && !fault && <ProblemAlert error={change.error} />}
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
