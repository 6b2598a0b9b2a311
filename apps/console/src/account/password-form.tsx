import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { SESSION_PATH, useOperator } from '../session/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { PasswordField } from '../sign-in/password-field';
import { ProblemAlert } from '../components/problem-alert';
import { toastSuccess } from '../components/toast';
import { OWN_SESSIONS_PATH } from './own-sessions';

export function PasswordForm(): ReactNode {
  const { email } = useOperator();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const changePassword = useApiMutation(
    () => unwrap(api.POST(`${SESSION_PATH}/password`, { body: { currentPassword, newPassword } })),
    OWN_SESSIONS_PATH,
    '/operator/v1/operators/',
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (changePassword.isPending) return;
    changePassword.mutate(undefined, {
      onSuccess: () => {
        setCurrent('');
        setNew('');
        toastSuccess('Password changed. Your other sessions were revoked.');
      },
    });
  };
  const isIncorrect = changePassword.error?.code === 'invalid_credentials';
  const newPasswordError = changePassword.error?.fields['newPassword'];
  return (
    <form onSubmit={submit}>
      <Stack maw={360}>
        <Text c="dimmed">Changing your password revokes your other sessions.</Text>
        {/* Password managers need the email address to identify the account. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label="Current password"
          kind="current-password"
          value={currentPassword}
          onChange={setCurrent}
          error={isIncorrect && 'The current password is incorrect'}
        />
        <PasswordField
          label="New password"
          kind="new-password"
          value={newPassword}
          onChange={setNew}
          error={newPasswordError}
        />
        {changePassword.error && !isIncorrect && !newPasswordError && (
          <ProblemAlert error={changePassword.error} />
        )}
        <Group>
          <Button type="submit" loading={changePassword.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
