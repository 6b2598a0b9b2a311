'use client';
import type { TotpSecret } from '@gatehouse/js';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../components/button.js';
import { CodeField, digits, Form, RecoveryCodeField } from '../components/form.js';
import { Alert, Skeleton, Step } from '../components/panel.js';
import { RecoveryCodes } from '../components/recovery-codes.js';
import { TotpSetup } from '../components/totp-setup.js';
import { useAction } from '../components/use-action.js';
import { useTexts } from '../use-texts.js';
import { BackLine } from './email-steps.js';
import { FlowButton, hasPasskeys } from './other-methods.js';
import { useFlow, type ChallengeKind } from './use-auth-flow.js';

/** The form for a second factor. */
export function SecondFactorStep() {
  const texts = useTexts();
  const { client, signIn, screen } = useFlow<ChallengeKind>();
  const { token, methods } = screen.challenge;
  const hasTotp = methods.includes('totp');
  const hasPasskey = methods.includes('passkey') && hasPasskeys();
  const hasRecovery = methods.includes('recovery_code');
  const [isRecovery, setIsRecovery] = useState(hasRecovery && !hasTotp && !hasPasskey);
  const canSwitch = isRecovery ? hasTotp : hasRecovery;
  const otherText = hasPasskey ? texts.factorPasskey : texts.errors.passkeys_not_supported;
  const text = hasTotp ? texts.factorTotp : otherText;
  return (
    <Step title={texts.factorTitle} text={isRecovery ? texts.factorRecovery : text} hasFocus>
      {isRecovery ? (
        <Form
          submitLabel={texts.continue}
          onSubmit={({ code = '' }) => signIn(() => client.challenge.recoveryCode({ token, code }))}
        >
          <RecoveryCodeField />
        </Form>
      ) : null}
      {hasTotp && !isRecovery ? (
        <Form
          submitLabel={texts.continue}
          onSubmit={({ code = '' }) => signIn(() => client.challenge.totp({ token, code: digits(code) }))}
        >
          <CodeField label={texts.totpCode} />
        </Form>
      ) : null}
      <div className="gh-actions gh-again">
        {hasPasskey ? (
          <FlowButton work={() => client.challenge.passkey({ token })}>{texts.usePasskey}</FlowButton>
        ) : null}
        {canSwitch ? (
          <Button onClick={() => setIsRecovery(!isRecovery)}>
            {isRecovery ? texts.useTotp : texts.useRecoveryCode}
          </Button>
        ) : null}
      </div>
      <BackLine />
    </Step>
  );
}

/** The form for adding the second factor that the project requires. */
export function EnrollStep() {
  const texts = useTexts();
  const { client, signIn, screen } = useFlow<ChallengeKind>();
  const { token, methods } = screen.challenge;
  const hasTotp = methods.includes('totp');
  const [secret, setSecret] = useState<TotpSecret | null>(null);
  const { error, run } = useAction(async () => setSecret(await client.challenge.enrollTotp({ token })));
  const hasBegun = useRef(false);
  useEffect(() => {
    // Runs once even in StrictMode: a second secret would replace the one on the screen.
    if (hasTotp && !hasBegun.current) void run();
    hasBegun.current = true;
  }, []);
  return (
    <Step
      title={texts.enrollTitle}
      text={hasTotp ? `${texts.enrollText} ${texts.scanText}` : texts.enrollText}
      hasFocus
    >
      <Alert>{error}</Alert>
      {error ? <Button onClick={() => void run()}>{texts.retry}</Button> : null}
      {hasTotp && !secret && !error ? <Skeleton lines={4} /> : null}
      {secret ? (
        <Form
          submitLabel={texts.confirm}
          onSubmit={({ code = '' }) => signIn(() => client.challenge.totp({ token, code: digits(code) }))}
        >
          <TotpSetup secret={secret} />
        </Form>
      ) : null}
      {methods.includes('passkey') && hasPasskeys() ? (
        <div className="gh-actions gh-again">
          <FlowButton work={() => client.challenge.enrollPasskey({ token })}>
            {hasTotp ? texts.addPasskeyInstead : texts.addPasskey}
          </FlowButton>
        </div>
      ) : null}
      <BackLine />
    </Step>
  );
}

/** Shows the recovery codes that were created with the first second factor. */
export function RecoveryCodesStep() {
  const texts = useTexts();
  const { complete, screen } = useFlow<'recovery_codes'>();
  return (
    <Step title={texts.codesTitle} text={texts.codesText} hasFocus>
      <RecoveryCodes codes={screen.codes} onConfirm={() => complete(screen.customer)} />
    </Step>
  );
}
