import { Checkbox, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CustomerFields } from './customer-fields';
import { parseMetadata } from './metadata-patch';

interface CustomerFormProps {
  value: CustomerFields;
  onChange: (changes: Partial<CustomerFields>) => void;
  /** Validation errors from the API by field. */
  errors: Record<string, string>;
}

/** Renders the inputs for a customer's fields in a dialog. */
export function CustomerForm({ value, onChange: set, errors }: CustomerFormProps): ReactNode {
  const textInput = (
    name: 'email' | 'firstName' | 'lastName' | 'externalId' | 'locale',
    label: string,
    more: { description?: string; placeholder?: string; required?: boolean } = {},
  ): ReactNode => (
    <TextInput
      label={label}
      autoComplete="off"
      spellCheck={false}
      value={value[name]}
      error={errors[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      {...more}
    />
  );
  const metadataInput = (name: 'metadata' | 'publicMetadata', label: string, reader: string): ReactNode => (
    <Textarea
      label={label}
      description={`A JSON object. Readable ${reader}.`}
      placeholder={'{ "plan": "pro" }'}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={value[name]}
      error={errors[name] ?? (parseMetadata(value[name]) === null && 'Must be a JSON object')}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      {textInput('email', 'Email', { required: true })}
      <Checkbox
        label="The email address is verified"
        description="Select it only if the customer has proven ownership of the address."
        checked={value.emailVerified}
        onChange={(event) => set({ emailVerified: event.currentTarget.checked })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {textInput('firstName', 'First name')}
        {textInput('lastName', 'Last name')}
        {textInput('externalId', 'External ID', { description: 'ID of the customer in your system.' })}
        {textInput('locale', 'Language', { description: 'A language tag, such as de-AT.' })}
      </SimpleGrid>
      {metadataInput('metadata', 'Metadata', 'only with a secret key')}
      {metadataInput('publicMetadata', 'Public metadata', 'by the customer, too')}
    </>
  );
}
