import { Alert, PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon';
import { projectLabels } from './project-labels';
import { SwitchSetting, TextSetting, type SectionProps } from './settings-fields';
import { verifiedEmailAdvice } from './verified-email-advice';

export function SignInFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <SwitchSetting
        form={form}
        name="signIn.password"
        description="Customers can sign in with a password. If this is off, passwords stay stored."
      />
      <SwitchSetting
        form={form}
        name="signIn.emailCode"
        description="Customers can sign in with a code that they receive by email."
      />
      {form.environment === 'development' && (
        <TextSetting
          form={form}
          name="testEmailCode"
          description="Six digits. Addresses at example.com and .test sign in with this code, and no email is sent. For tests."
          max={6}
        />
      )}
      <SwitchSetting
        form={form}
        name="signIn.passkey"
        description="Customers can sign in with a passkey alone. In production, also set the domain under Passkeys."
      />
      <SwitchSetting
        form={form}
        name="signIn.allowSignUp"
        description="Customers can create accounts. If this is off, only secret keys, operators and imports create customers."
      />
      <LegacySignInFields form={form} />
      <SwitchSetting
        form={form}
        name="requireVerifiedEmail"
        description="Customers with an unverified email address cannot sign in and receive no tokens at registration."
      />
      {form.environment === 'production' && !form.values.requireVerifiedEmail && (
        <Alert color="yellow" icon={<Icon name="alert" size={20} />}>
          {verifiedEmailAdvice}
        </Alert>
      )}
      <SwitchSetting
        form={form}
        name="enumerationProtection"
        description="Registration returns the same response whether or not the email address is already registered, and customers cannot sign in before their email address is verified."
      />
    </>
  );
}

function LegacySignInFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <TextSetting
        form={form}
        name="legacySignIn.url"
        description="URL that verifies passwords for customers who have no password in Gatehouse yet. These customers move to Gatehouse at their first sign-in. If empty, no customers move."
        placeholder="https://old.example.com/sign-in"
        max={2048}
      />
      {form.values['legacySignIn.url'] !== null && !form.isReadOnly && (
        <PasswordInput
          label={projectLabels['legacySignIn.secret']}
          description="This secret signs the requests. Format: whsec_ followed by 24 to 64 bytes in base64. It is not shown again. If empty, the secret stays unchanged."
          autoComplete="off"
          value={form.values['legacySignIn.secret'] ?? ''}
          error={form.fieldError('legacySignIn.secret')}
          onChange={(event) => form.setValue('legacySignIn.secret', event.currentTarget.value || null)}
        />
      )}
    </>
  );
}
