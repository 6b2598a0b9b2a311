import { ColorInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinesInput } from '../components/lines-input';
import { IntegerInput } from './integer-input';
import { BrandPreview, DEFAULT_COLOR } from './brand-preview';
import { DurationInput } from './duration-input';
import { projectLabels } from './project-labels';
import type { ProjectFields, ProjectForm } from './use-project-form';

type KeyOf<T> = { [K in keyof ProjectFields]: ProjectFields[K] extends T ? K : never }[keyof ProjectFields];
/** The keys of settings that default to null. */
type NullableKey = Exclude<KeyOf<string | null>, KeyOf<string>>;

interface FieldProps<Key extends keyof ProjectFields> {
  form: ProjectForm;
  name: Key;
  description?: string;
  placeholder?: string;
}

/** Renders a text setting. An empty field becomes null, the default. */
export function TextSetting({
  form,
  name,
  description,
  placeholder,
  max,
}: FieldProps<NullableKey> & { max: number }) {
  return (
    <TextInput
      label={projectLabels[name]}
      description={description}
      placeholder={placeholder}
      maxLength={max}
      autoComplete="off"
      spellCheck={false}
      readOnly={form.isReadOnly}
      value={form.values[name] ?? ''}
      error={form.fieldError(name)}
      onChange={(event) => form.setValue(name, event.currentTarget.value || null)}
    />
  );
}

export function ListSetting({ form, name, description, placeholder }: FieldProps<KeyOf<string[]>>) {
  return (
    <LinesInput
      label={projectLabels[name]}
      description={description}
      placeholder={placeholder}
      readOnly={form.isReadOnly}
      value={form.values[name]}
      error={form.fieldError(name)}
      onChange={(lines) => form.setValue(name, lines)}
    />
  );
}

export function SwitchSetting({ form, name, description }: FieldProps<KeyOf<boolean>>): ReactNode {
  return (
    <Switch
      label={projectLabels[name]}
      description={description}
      disabled={form.isReadOnly}
      checked={form.values[name]}
      error={form.fieldError(name)}
      onChange={(event) => form.setValue(name, event.currentTarget.checked)}
    />
  );
}

interface DurationSettingProps extends FieldProps<KeyOf<number>> {
  /** Seconds. */
  min: number;
  max: number;
  /** The range as text: "1 minute to 24 hours". */
  rangeText: string;
  /** The error message for a rejected value that is within the range. */
  otherError?: string;
}

/**
 * Renders a duration setting. The API, including its error messages, uses seconds; the console uses larger
 * units.
 */
export function DurationSetting({
  form,
  name,
  description = '',
  min,
  max,
  rangeText,
  otherError,
}: DurationSettingProps): ReactNode {
  const value = form.values[name];
  const isWithin = value >= min && value <= max;
  const error = form.fieldError(name);
  return (
    <DurationInput
      label={projectLabels[name]}
      description={`${rangeText}. ${description}`}
      readOnly={form.isReadOnly}
      value={value}
      error={error && (isWithin ? (otherError ?? error) : `Must be ${rangeText}.`)}
      onChange={(seconds) => form.setValue(name, seconds)}
    />
  );
}

export interface SectionProps {
  form: ProjectForm;
}

export function GeneralFields({ form }: SectionProps): ReactNode {
  return (
    <TextInput
      label={projectLabels.name}
      maxLength={100}
      autoComplete="off"
      readOnly={form.isReadOnly}
      value={form.values.name}
      error={form.fieldError('name')}
      onChange={(event) => form.setValue('name', event.currentTarget.value)}
    />
  );
}

export function PageFields({ form }: SectionProps): ReactNode {
  const hosted = 'If empty, the hosted page is used.';
  const example = 'https://app.example.com/verify';
  return (
    <>
      <ListSetting
        form={form}
        name="allowedOrigins"
        description="Origins whose pages can use the publishable key, one per line. If empty, all origins are allowed. https://*.example.com allows any subdomain."
        placeholder="https://app.example.com"
      />
      <ListSetting
        form={form}
        name="redirectUrls"
        description="URLs that the “Continue” button of the hosted pages and the links in sign-in emails can lead to, one per line. A requested URL must match exactly. Outside production, a host can begin with * in place of one label. URLs on http://127.0.0.1 and http://[::1] match any port."
        placeholder="https://app.example.com/welcome"
      />
      <TextSetting
        form={form}
        name="verifyEmailUrl"
        description={`Target of the links in verification emails; ?token= is added. ${hosted}`}
        placeholder={example}
        max={2048}
      />
      <TextSetting
        form={form}
        name="resetPasswordUrl"
        description={`Target of the links in password reset emails. ${hosted}`}
        max={2048}
      />
      <TextSetting
        form={form}
        name="acceptInviteUrl"
        description={`Target of the links in invitation emails. ${hosted}`}
        max={2048}
      />
    </>
  );
}

export function PasswordFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <IntegerInput
        label={projectLabels.passwordMinLength}
        description="8 to 64 characters."
        maw={140}
        readOnly={form.isReadOnly}
        value={form.values.passwordMinLength || ''}
        error={form.fieldError('passwordMinLength')}
        onChange={(length) => form.setValue('passwordMinLength', Number(length))}
      />
      <SwitchSetting
        form={form}
        name="breachCheck"
        description="New passwords are checked against a public list of breached passwords. Only five characters of a hash are sent. If the list is unavailable, the password is accepted."
      />
      <Select
        label={projectLabels.passwordHashing}
        description="With a pepper: a stolen database is not enough to guess passwords. Portable: other systems can verify the hashes, so customers keep their passwords if you leave Gatehouse, and new passwords can be at most 72 bytes long. A change applies to existing passwords at the next sign-in."
        allowDeselect={false}
        styles={{ wrapper: { maxWidth: 280 } }}
        readOnly={form.isReadOnly}
        data={[
          { value: 'peppered', label: 'With a pepper' },
          { value: 'portable', label: 'Portable' },
        ]}
        value={form.values.passwordHashing}
        error={form.fieldError('passwordHashing')}
        onChange={(hashing) => hashing && form.setValue('passwordHashing', hashing)}
      />
    </>
  );
}

export function BrandingFields({ form }: SectionProps): ReactNode {
  const { values } = form;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <div style={{ display: 'grid', gap: '1rem', alignContent: 'start' }}>
        <TextSetting
          form={form}
          name="branding.displayName"
          description="If empty, the name of the project is used."
          placeholder={values.name}
          max={100}
        />
        <TextSetting
          form={form}
          name="branding.logoUrl"
          description="HTTPS URL of an image."
          placeholder="https://cdn.example.com/logo.png"
          max={2048}
        />
        <ColorInput
          label={projectLabels['branding.color']}
          description="Color of buttons."
          placeholder={DEFAULT_COLOR}
          format="hex"
          withEyeDropper={false}
          fixOnBlur={false}
          readOnly={form.isReadOnly}
          value={values['branding.color'] ?? ''}
          error={form.fieldError('branding.color')}
          onChange={(color) => form.setValue('branding.color', color || null)}
        />
      </div>
      <BrandPreview
        name={values['branding.displayName']?.trim() || values.name}
        hasLogo={Boolean(values['branding.logoUrl'])}
        color={values['branding.color']}
      />
    </SimpleGrid>
  );
}
