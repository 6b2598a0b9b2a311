import { Anchor, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { PasskeyForm } from './passkey-form';
import { createPasskey, supportsPasskeys } from './passkeys';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { EnrollmentStep, type EnrollmentStepProps } from './enrollment-step';
import { SESSION_PATH, useReplaceSession, useSession } from '../session/session';

/** Renders the enrollment of an authenticator app or a passkey for an operator without a second factor. */
export function FactorEnrollment(props: EnrollmentStepProps): ReactNode {
  const { passkeysAvailable } = useSession();
  const [isPasskey, setPasskey] = useState(false);
  if (!passkeysAvailable || !supportsPasskeys) return <EnrollmentStep {...props} />;
  const Step = isPasskey ? PasskeyEnrollment : EnrollmentStep;
  return (
    <Stack>
      <Step {...props} />
      <Anchor component="button" type="button" w="fit-content" onClick={() => setPasskey(!isPasskey)}>
        {isPasskey ? 'Use an authenticator app' : 'Use a passkey'}
      </Anchor>
    </Stack>
  );
}

function PasskeyEnrollment({ onEnrolled, footer }: EnrollmentStepProps): ReactNode {
  const replaceSession = useReplaceSession();
  const enroll = useApiMutation(async (name: string) => {
    const path = `${SESSION_PATH}/enrollment/passkey` as const;
    const { options } = await unwrap(api.POST(`${path}/options`, {}));
    const response = await createPasskey<Schemas['AddOperatorPasskeyRequest']['response']>(options);
    return unwrap(api.POST(path, { body: { name, response } }));
  });
  const submit = (name: string): void =>
    enroll.mutate(name, {
      onSuccess: ({ session, recoveryCodes }) => {
        onEnrolled(recoveryCodes);
        replaceSession(session);
      },
    });
  return (
    <Stack>
      <Text>Each time you sign in, the console requires your passkey in addition to your password.</Text>
      <PasskeyForm isPending={enroll.isPending} problem={enroll.error} onSubmit={submit} footer={footer} />
    </Stack>
  );
}
