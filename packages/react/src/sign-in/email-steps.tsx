'use client';
import { useState } from 'react';
import { Button } from '../components/button.js';
import { CodeField, Form } from '../components/form.js';
import { Alert, Step } from '../components/panel.js';
import { useAction } from '../components/use-action.js';
import { fill, useTexts } from '../use-texts.js';
import { EmailField } from './first-steps.js';
import { useFlow } from './use-auth-flow.js';

/** A line with a link back to the sign-in. */
export function BackLine() {
  const { go } = useFlow();
  return (
    <p className="gh-more">
      <Button variant="link" onClick={() => go({ name: 'sign_in' })}>
        {useTexts().back}
      </Button>
    </p>
  );
}

/** A button that sends an email again, and then shows a confirmation. */
function ResendButton({ label, work }: { label: string; work: () => Promise<unknown> }) {
  const texts = useTexts();
  const [isSent, setIsSent] = useState(false);
  const { isBusy, error, run } = useAction(async () => {
    setIsSent(false);
    await work();
    setIsSent(true);
  });
  return (
    <div className="gh-actions gh-again">
      <Alert>{error}</Alert>
      <Alert isSuccess>{isSent ? texts.sent : null}</Alert>
      <Button isBusy={isBusy} onClick={() => void run()}>
        {label}
      </Button>
    </div>
  );
}

/** The form for an emailed code. */
export function EmailCodeStep() {
  const texts = useTexts();
  const { client, email, linkFields, signIn, screen } = useFlow<'email_code'>();
  const [token, setToken] = useState(screen.token);
  return (
    <Step title={texts.codeTitle} text={fill(texts.codeText, { email })} hasFocus>
      <Form
        submitLabel={texts.continue}
        onSubmit={({ code = '' }) =>
          signIn(() => client.signIn.emailCode({ token, code: code.trim(), locale: texts.language }))
        }
      >
        <CodeField label={texts.code} />
      </Form>
      <ResendButton
        label={texts.newCode}
        work={async () => setToken((await client.sendEmailCode({ email, ...linkFields })).token)}
      />
      <BackLine />
    </Step>
  );
}

/** The form that emails a link to set a new password. */
export function ForgotPasswordStep() {
  const texts = useTexts();
  const { client, linkFields, go } = useFlow();
  return (
    <Step title={texts.resetTitle} text={texts.resetText} hasFocus>
      <Form
        submitLabel={texts.resetButton}
        onSubmit={async ({ email = '' }) => {
          await client.forgotPassword(email, linkFields);
          go({ name: 'reset_sent' });
        }}
      >
        <EmailField />
      </Form>
      <BackLine />
    </Step>
  );
}

/** Confirms that a link to set a new password was sent. */
export function ResetSentStep() {
  const texts = useTexts();
  const { email } = useFlow();
  return (
    <Step title={texts.inboxTitle} text={fill(texts.resetSent, { email })} hasFocus>
      <BackLine />
    </Step>
  );
}

/** Shows the instruction to open the emailed link. */
export function VerifyEmailStep() {
  const texts = useTexts();
  const { client, email, linkFields } = useFlow();
  return (
    <Step
      title={texts.verifyTitle}
      text={fill(texts.verifyText, { email: email || texts.yourEmail })}
      hasFocus
    >
      {email ? (
        <ResendButton label={texts.verifyButton} work={() => client.resendVerification(email, linkFields)} />
      ) : null}
      <BackLine />
    </Step>
  );
}
