'use client';
import { GatehouseError } from '@gatehouse/js';
import { FormDialogButton } from '../components/dialog.js';
import { Field } from '../components/form.js';
import { fill, useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { Section } from './section.js';

/** Deletes the account after the customer has entered the email address, and the password if there is one. */
export function DeleteSection() {
  const texts = useTexts();
  const { client, customer, prove } = useAccount();
  const { email } = customer;
  return (
    <Section title={texts.deleteAccount} text={texts.deleteText}>
      <FormDialogButton
        label={texts.deleteAccount}
        text={texts.deleteText}
        variant="danger"
        onSubmit={async ({ confirmation = '' }) => {
          if (confirmation.trim().toLowerCase() !== email.toLowerCase())
            throw new GatehouseError('validation_failed', 'The entered address differs', {
              fields: [{ field: 'confirmation', code: 'invalid', message: '' }],
            });
          await prove((currentPassword) =>
            client.customer.delete(currentPassword ? { currentPassword } : {}),
          );
        }}
      >
        <Field
          name="confirmation"
          label={fill(texts.deleteConfirm, { email })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </FormDialogButton>
    </Section>
  );
}
