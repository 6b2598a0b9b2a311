import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SESSION_PATH, useReplaceSession } from '../session/session';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { SignInProblem } from './sign-in-problem';

/**
 * Renders a button that signs in without a second factor. The API allows this only in development, from the same
 * machine.
 */
export function SkipEnrollment(): ReactNode {
  const replaceSession = useReplaceSession();
  const skip = useApiMutation(() => unwrap(api.POST(`${SESSION_PATH}/enrollment/skip`, {})));
  return (
    <>
      <SignInProblem problem={skip.error} />
      <Button
        variant="default"
        loading={skip.isPending}
        onClick={() => skip.mutate(undefined, { onSuccess: replaceSession })}
      >
        Skip for now
      </Button>
      <Text size="xs" c="dimmed">
        Available in development only. You cannot invite or manage operators or create API keys until you set
        up an authenticator app under Account.
      </Text>
    </>
  );
}
