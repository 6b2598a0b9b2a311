'use client';
import { useState } from 'react';
import { ActionButton } from '../components/action-button.js';
import { FormDialogButton } from '../components/dialog.js';
import { Field, Form } from '../components/form.js';
import { Alert } from '../components/panel.js';
import { fill, useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { Row, Rows, Section } from './section.js';

/** The name and the email address. */
export function ProfileSection() {
  const texts = useTexts();
  const { client, customer, reload } = useAccount();
  const [isSaved, setIsSaved] = useState(false);
  const nameField = (name: 'firstName' | 'lastName', autoComplete: string) => (
    <Field
      name={name}
      label={texts[name]}
      autoComplete={autoComplete}
      defaultValue={customer[name] ?? ''}
      maxLength={100}
      required={false}
    />
  );
  return (
    <Section title={texts.profile}>
      <Form
        submitLabel={texts.save}
        onSubmit={async ({ firstName = '', lastName = '' }) => {
          setIsSaved(false);
          await client.customer.update({
            firstName: firstName.trim() || null,
            lastName: lastName.trim() || null,
          });
          await reload();
          setIsSaved(true);
        }}
      >
        {nameField('firstName', 'given-name')}
        {nameField('lastName', 'family-name')}
        <Alert isSuccess>{isSaved ? texts.saved : null}</Alert>
      </Form>
      <EmailRows />
    </Section>
  );
}

function EmailRows() {
  const texts = useTexts();
  const { client, customer, prove } = useAccount();
  const { email, emailVerified } = customer;
  const [notice, setNotice] = useState<string | null>(null);
  return (
    <>
      <Rows>
        {[
          <Row key={email} title={email} badge={emailVerified ? texts.verified : texts.unverified}>
            <FormDialogButton
              label={texts.changeEmail}
              text={texts.changeEmailText}
              submitLabel={texts.continue}
              onSubmit={async ({ email: next = '' }) => {
                await prove((password) =>
                  client.customer.changeEmail({ email: next, ...(password && { password }) }),
                );
                setNotice(fill(texts.emailSent, { email: next }));
              }}
            >
              <Field name="email" type="email" label={texts.newEmail} autoComplete="email" />
            </FormDialogButton>
          </Row>,
        ]}
      </Rows>
      <Alert isSuccess>{notice}</Alert>
      {emailVerified ? null : (
        <ActionButton
          work={async () => {
            await client.resendVerification(email);
            setNotice(texts.sent);
          }}
        >
          {texts.verifyEmail}
        </ActionButton>
      )}
    </>
  );
}
