import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { FactorEnrollment } from '../sign-in/factor-enrollment';
import { useSession } from '../session/session';
import { RecoveryCodes } from '../sign-in/recovery-codes';
import { RecoveryCodesForm } from './recovery-codes-form';

/** Renders the enrollment for an operator without a second factor, and otherwise the form for new recovery codes. */
export function SecondFactor(): ReactNode {
  const { hasSecondFactor } = useSession();
  const [isSettingUp, setSettingUp] = useState(false);
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onSaved={() => setRecoveryCodes(null)} />;
  if (hasSecondFactor) return <RecoveryCodesForm />;
  if (isSettingUp) {
    const cancelButton = (
      <Button variant="default" onClick={() => setSettingUp(false)}>
        Cancel
      </Button>
    );
    return <FactorEnrollment onEnrolled={setRecoveryCodes} footer={cancelButton} />;
  }
  return (
    <Stack maw={480}>
      <Text c="dimmed">
        You signed in without a second factor. To invite or manage operators and to create API keys, set up an
        authenticator app or a passkey.
      </Text>
      <Group>
        <Button onClick={() => setSettingUp(true)}>Set up two-factor authentication</Button>
      </Group>
    </Stack>
  );
}
