'use client';
import { useState } from 'react';
import { FormDialogButton } from '../components/dialog.js';
import { PasswordField } from '../components/form.js';
import { Alert } from '../components/panel.js';
import { useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { HiddenUsername } from './hidden-username.js';
import { Section } from './section.js';

/** Sets a new password. Only customers who have a password need to enter the current one. */
export function PasswordSection({ onChange }: { onChange: () => void }) {
  const texts = useTexts();
  const { client, prove } = useAccount();
  const [isSet, setIsSet] = useState(false);
  return (
    <Section title={texts.password} text={texts.passwordText}>
      <Alert isSuccess>{isSet ? texts.passwordSet : null}</Alert>
      <FormDialogButton
        label={texts.setPassword}
        text={texts.passwordText}
        submitLabel={texts.save}
        onSubmit={async ({ newPassword = '' }) => {
          setIsSet(false);
          await prove((currentPassword) =>
            client.customer.changePassword({ newPassword, ...(currentPassword && { currentPassword }) }),
          );
          setIsSet(true);
          onChange();
        }}
      >
        <HiddenUsername />
        <PasswordField
          name="newPassword"
          label={texts.newPassword}
          hint={texts.passwordHint}
          autoComplete="new-password"
        />
      </FormDialogButton>
    </Section>
  );
}
