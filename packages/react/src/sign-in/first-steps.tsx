'use client';
import type { SignInOptions } from '@gatehouse/js';
import { Button } from '../components/button.js';
import { Field, Form, PasswordField, type FormProps } from '../components/form.js';
import { NotLoaded } from '../components/not-loaded.js';
import { Alert, Step } from '../components/panel.js';
import { useTexts } from '../use-texts.js';
import { OtherMethods } from './other-methods.js';
import { useFlow, type AuthFlow } from './use-auth-flow.js';

/** A field for the email address. All screens of a flow share its value. */
export function EmailField({ hint }: { hint?: string | false }) {
  const { email, setEmail } = useFlow();
  return (
    <Field
      name="email"
      type="email"
      label={useTexts().email}
      hint={hint}
      autoComplete="username"
      value={email}
      onChange={(event) => setEmail(event.target.value)}
    />
  );
}

/** Emails a code, and shows the screen for entering it. */
async function sendCode({ client, linkFields, go }: AuthFlow, email: string): Promise<void> {
  const { token } = await client.sendEmailCode({ email, ...linkFields });
  go({ name: 'email_code', token });
}

/** A line with a link that switches between sign-in and sign-up. */
function SwitchLine({ to }: { to: 'sign_in' | 'sign_up' }) {
  const texts = useTexts();
  const { go, otherUrl } = useFlow();
  const label = to === 'sign_up' ? texts.signUp : texts.signIn;
  return (
    <p className="gh-more">
      {to === 'sign_up' ? texts.noAccount : texts.hasAccount}{' '}
      {otherUrl ? (
        <a href={otherUrl}>{label}</a>
      ) : (
        <Button variant="link" onClick={() => go({ name: to })}>
          {label}
        </Button>
      )}
    </p>
  );
}

/** The first screen of a flow, with its loading state. */
export function FirstStep() {
  const texts = useTexts();
  const { options: loaded, screen, hasMoved, notice } = useFlow();
  const options = loaded.value;
  const isSignUp = screen.name === 'sign_up';
  const canSignUp = options?.allowSignUp && (options.password || options.emailCode);
  const isOffered = options && (isSignUp ? options.allowSignUp : hasMethod(options));
  const missing = isSignUp ? texts.errors.sign_up_not_allowed : texts.noMethod;
  return (
    <Step
      key={screen.name}
      title={isSignUp ? texts.signUp : texts.signIn}
      text={options && !isOffered ? missing : null}
      hasFocus={hasMoved}
    >
      <Alert>{notice}</Alert>
      {options ? null : <NotLoaded {...loaded} lines={3} />}
      {isOffered ? <Methods options={options} isSignUp={isSignUp} /> : null}
      {isSignUp || canSignUp ? <SwitchLine to={isSignUp ? 'sign_in' : 'sign_up'} /> : null}
    </Step>
  );
}

const hasMethod = ({ password, emailCode, passkey, providers }: SignInOptions): boolean =>
  password || emailCode || passkey || providers.length > 0;

/** The form for passwords or emailed codes, and the other sign-in methods that the project offers. */
function Methods({ options, isSignUp }: { options: SignInOptions; isSignUp: boolean }) {
  const texts = useTexts();
  const flow = useFlow();
  const code = {
    label: texts.emailCode,
    fields: ['email'],
    onSubmit: ({ email = '' }) => sendCode(flow, email),
  };
  const hasForm = options.password || options.emailCode;
  return (
    <>
      {options.password ? (
        <PasswordForm isSignUp={isSignUp} {...(options.emailCode && !isSignUp && { other: code })} />
      ) : null}
      {options.emailCode && !options.password ? (
        <Form submitLabel={code.label} onSubmit={code.onSubmit}>
          <EmailField hint={options.allowSignUp && texts.emailCodeHint} />
        </Form>
      ) : null}
      <OtherMethods options={options} hasForm={hasForm} withPasskey={!isSignUp} />
    </>
  );
}

/** The password form. @param other a button that emails a code instead */
function PasswordForm({ isSignUp, other }: Pick<FormProps, 'other'> & { isSignUp: boolean }) {
  const texts = useTexts();
  const { client, signIn, linkFields, go } = useFlow();
  if (isSignUp)
    return (
      <Form
        submitLabel={texts.signUp}
        onSubmit={({ email = '', password = '' }) =>
          signIn(() => client.signUp({ email, password, locale: texts.language, ...linkFields }))
        }
      >
        <EmailField />
        <PasswordField
          name="password"
          label={texts.password}
          hint={texts.passwordHint}
          autoComplete="new-password"
        />
      </Form>
    );
  return (
    <Form
      submitLabel={texts.signIn}
      onSubmit={({ email = '', password = '' }) => signIn(() => client.signIn.password({ email, password }))}
      {...(other && { other })}
    >
      <EmailField />
      <PasswordField name="password" label={texts.password} autoComplete="current-password" />
      <p className="gh-forgot">
        <Button variant="link" onClick={() => go({ name: 'forgot_password' })}>
          {texts.forgotPassword}
        </Button>
      </p>
    </Form>
  );
}
