'use client';
import type { SignInOptions } from '@gatehouse/js';
import { Button } from '../components/button.js';
import { Field, Form, PasswordField } from '../components/form.js';
import { Alert, Skeleton, Step } from '../components/panel.js';
import { useTexts } from '../use-texts.js';
import { OtherWays } from './other-ways.js';
import type { AuthFlow } from './use-auth-flow.js';

interface StepProps {
  flow: AuthFlow;
  options: SignInOptions;
}

/** The field for the email address, which all screens of a flow share. */
export const EmailField = ({ flow, hint }: { flow: AuthFlow; hint?: string }) => (
  <Field
    name="email"
    type="email"
    label={useTexts().email}
    hint={hint}
    autoComplete="username"
    value={flow.email}
    onChange={(event) => flow.setEmail(event.target.value)}
  />
);

/** Sends a code to an email address and shows the screen that asks for it. */
async function sendCode({ client, linkFields, go }: AuthFlow, email: string): Promise<void> {
  const { token } = await client.sendEmailCode({ email, ...linkFields });
  go({ name: 'email_code', token });
}

/** A line with the switch between sign-in and sign-up. @param url the page of the other component; default: none */
function SwitchLine({ flow, to, url }: { flow: AuthFlow; to: 'sign_in' | 'sign_up'; url?: string }) {
  const texts = useTexts();
  const label = to === 'sign_up' ? texts.signUpLink : texts.signIn;
  return (
    <p className="gh-more">
      {to === 'sign_up' ? texts.noAccount : texts.hasAccount}{' '}
      {url ? (
        <a href={url}>{label}</a>
      ) : (
        <Button variant="link" onClick={() => flow.go({ name: to })}>
          {label}
        </Button>
      )}
    </p>
  );
}

/** The first screen of a flow, with its loading state. @param otherUrl the page of the other component */
export function FirstStep({ flow, otherUrl }: { flow: AuthFlow; otherUrl?: string | undefined }) {
  const texts = useTexts();
  const { value: options, error, reload } = flow.options;
  const isSignUp = flow.screen.name === 'sign_up';
  const canSignUp = options?.allowSignUp && (options.password || options.emailCode);
  const isOffered = options && (isSignUp ? options.allowSignUp : hasMethod(options));
  const missing = isSignUp ? texts.noSignUp : texts.noMethod;
  return (
    <Step
      key={flow.screen.name}
      title={isSignUp ? texts.signUp : texts.signIn}
      text={options && !isOffered ? missing : null}
      hasFocus={flow.hasMoved}
    >
      <Alert>{flow.notice ?? error}</Alert>
      {!options && !error ? <Skeleton /> : null}
      {!options && error ? <Button onClick={reload}>{texts.retry}</Button> : null}
      {isOffered && isSignUp ? <SignUpForm flow={flow} options={options} /> : null}
      {isOffered && !isSignUp ? <SignInForm flow={flow} options={options} /> : null}
      {isSignUp || canSignUp ? (
        <SwitchLine flow={flow} to={isSignUp ? 'sign_in' : 'sign_up'} {...(otherUrl && { url: otherUrl })} />
      ) : null}
    </Step>
  );
}

const hasMethod = ({ password, emailCode, passkey, providers }: SignInOptions): boolean =>
  password || emailCode || passkey || providers.length > 0;

function SignInForm({ flow, options }: StepProps) {
  const texts = useTexts();
  const { client, signIn } = flow;
  const { password, emailCode } = options;
  const code = {
    label: texts.emailCode,
    fields: ['email'],
    onSubmit: ({ email = '' }) => sendCode(flow, email),
  };
  return (
    <>
      {password ? (
        <Form
          submitLabel={texts.signIn}
          onSubmit={({ email = '', password: value = '' }) =>
            signIn(() => client.signIn.password({ email, password: value }))
          }
          {...(emailCode && { other: code })}
        >
          <EmailField flow={flow} />
          <PasswordField name="password" label={texts.password} autoComplete="current-password" />
          <p className="gh-forgot">
            <Button variant="link" onClick={() => flow.go({ name: 'forgot_password' })}>
              {texts.forgotPassword}
            </Button>
          </p>
        </Form>
      ) : null}
      {!password && emailCode ? <EmailCodeForm flow={flow} options={options} /> : null}
      <OtherWays flow={flow} options={options} hasForm={password || emailCode} withPasskey />
    </>
  );
}

function SignUpForm({ flow, options }: StepProps) {
  const texts = useTexts();
  const { client, signIn, linkFields } = flow;
  const hasForm = options.password || options.emailCode;
  return (
    <>
      {options.password ? (
        <Form
          submitLabel={texts.signUpButton}
          onSubmit={({ email = '', password = '' }) =>
            signIn(() => client.signUp({ email, password, locale: texts.language, ...linkFields }))
          }
        >
          <EmailField flow={flow} />
          <PasswordField
            name="password"
            label={texts.password}
            hint={texts.passwordHint}
            autoComplete="new-password"
          />
        </Form>
      ) : null}
      {!options.password && options.emailCode ? <EmailCodeForm flow={flow} options={options} /> : null}
      <OtherWays flow={flow} options={options} hasForm={hasForm} withPasskey={false} />
    </>
  );
}

/** The form of a project without passwords. */
function EmailCodeForm({ flow, options }: StepProps) {
  const texts = useTexts();
  return (
    <Form submitLabel={texts.emailCode} onSubmit={({ email = '' }) => sendCode(flow, email)}>
      <EmailField flow={flow} {...(options.allowSignUp && { hint: texts.emailCodeHint })} />
    </Form>
  );
}
