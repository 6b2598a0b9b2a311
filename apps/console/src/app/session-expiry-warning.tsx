import { Alert, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon';
import { toastError } from '../components/toast';
import { api } from '../http/client';
import { useApiMutation } from '../http/queries';
import { EXPIRY_WARNING_MS, SESSION_PATH, useSessionQuery } from '../session/session';
import classes from './shell.module.css';

/**
 * Renders a warning two minutes before the session ends. The remaining time comes from the server's last response, so
 * it accounts for activity in other tabs.
 */
export function SessionExpiryWarning(): ReactNode {
  const { data } = useSessionQuery();
  // Any request that results from user activity extends the session.
  const extend = useApiMutation(() => api.GET(`${SESSION_PATH}/sessions`), SESSION_PATH);
  if (data?.state !== 'signed_in' || data.expiresIn === null || data.endsIn === null) return null;
  if (data.expiresIn * 1000 > EXPIRY_WARNING_MS) return null;
  const minutes = Math.ceil(data.expiresIn / 60);
  const isFinal = data.endsIn <= data.expiresIn;
  return (
    <Alert
      className={classes.expiry}
      role="alert"
      color="yellow"
      icon={<Icon name="clock" size={20} />}
      title={`You will be signed out in ${minutes > 1 ? `${minutes} minutes` : '1 minute'}`}
    >
      {isFinal ? (
        <Text>
          A session ends 12 hours after the sign-in. The page keeps your input while you sign in again.
        </Text>
      ) : (
        <Group justify="space-between" gap="xs">
          <Text>You have not used the console for a while.</Text>
          <Button
            size="xs"
            loading={extend.isPending}
            onClick={() => extend.mutate(undefined, { onError: toastError })}
          >
            Stay signed in
          </Button>
        </Group>
      )}
    </Alert>
  );
}
