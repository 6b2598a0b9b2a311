'use client';
import { useState } from 'react';
import { Button } from '../components/button.js';
import { CodeField, Form } from '../components/form.js';
import { Alert, Step } from '../components/panel.js';
import { useAction } from '../components/use-action.js';
import { fill, useTexts } from '../use-texts.js';
import { EmailField } from './first-steps.js';
import type { AuthFlow } from './use-auth-flow.js';

/** A line that leads back to the sign-in. */
export const BackLine = ({ flow }: { flow: AuthFlow }) => (
  <p className="gh-more">
    <Button variant="link" onClick={() => flow.go({ name: 'sign_in' })}>
      {useTexts().back}
    </Button>
  </p>
);

/** A button that sends an email again, and says so. */
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

/** Asks for the code of an email. */
export function EmailCodeStep({ flow, token: firstToken }: { flow: AuthFlow; token: string }) {
  const texts = useTexts();
  const { client, email, linkFields } = flow;
  const [token, setToken] = useState(firstToken);
  return (
    <Step title={texts.codeTitle} text={fill(texts.codeText, { email })} hasFocus>
      <Form
        submitLabel={texts.continue}
        onSubmit={({ code = '' }) =>
          flow.signIn(() => client.signIn.emailCode({ token, code: code.trim(), locale: texts.language }))
        }
      >
        <CodeField label={texts.code} />
      </Form>
      <ResendButton
        label={texts.newCode}
        work={async () => setToken((await client.sendEmailCode({ email, ...linkFields })).token)}
      />
      <BackLine flow={flow} />
    </Step>
  );
}

/** Emails a link to set a new password. */
export function ForgotPasswordStep({ flow }: { flow: AuthFlow }) {
  const texts = useTexts();
  return (
    <Step title={texts.resetTitle} text={texts.resetText} hasFocus>
      <Form
        submitLabel={texts.resetButton}
        onSubmit={async ({ email = '' }) => {
          await flow.client.forgotPassword(email, flow.linkFields);
          flow.go({ name: 'reset_sent' });
        }}
      >
        <EmailField flow={flow} />
      </Form>
      <BackLine flow={flow} />
    </Step>
  );
}

/** Says that a link to set a new password was sent. */
export function ResetSentStep({ flow }: { flow: AuthFlow }) {
  const texts = useTexts();
  return (
    <Step title={texts.inboxTitle} text={fill(texts.resetSent, { email: flow.email })} hasFocus>
      <BackLine flow={flow} />
    </Step>
  );
}

/** Says that the customer has to open the link of an email. */
export function VerifyEmailStep({ flow }: { flow: AuthFlow }) {
  const texts = useTexts();
  const { client, email, linkFields } = flow;
  return (
    <Step
      title={texts.verifyTitle}
      text={fill(texts.verifyText, { email: email || texts.yourEmail })}
      hasFocus
    >
      {email ? (
        <ResendButton label={texts.verifyButton} work={() => client.resendVerification(email, linkFields)} />
      ) : null}
      <BackLine flow={flow} />
    </Step>
  );
}
