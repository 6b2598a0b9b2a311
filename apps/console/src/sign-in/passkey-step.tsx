import { Button, Divider } from '@mantine/core';
import type { ReactNode } from 'react';
import { SESSION_PATH, useReplaceSession, useSession } from '../session/session';
import { getPasskey, supportsPasskeys } from './passkeys';
import { SignInProblem } from './sign-in-problem';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';

/** Renders a button to use a passkey instead of a code. Renders nothing for operators without a passkey. */
export function PasskeyStep(): ReactNode {
  const { factors } = useSession();
  const replaceSession = useReplaceSession();
  const verify = useApiMutation(async () => {
    const path = `${SESSION_PATH}/second-factor/passkey` as const;
    const { options } = await unwrap(api.POST(`${path}/options`, {}));
    const response = await getPasskey<Schemas['OperatorPasskeyRequest']['response']>(options);
    return unwrap(api.POST(path, { body: { response } }));
  });
  if (!factors.includes('passkey') || !supportsPasskeys) return null;
  return (
    <>
      <SignInProblem problem={verify.error} />
      <Button
        loading={verify.isPending}
        onClick={() => verify.mutate(undefined, { onSuccess: replaceSession })}
      >
        Use a passkey
      </Button>
      <Divider label="or" />
    </>
  );
}
