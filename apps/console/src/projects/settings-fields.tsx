import { ColorInput, NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinesInput } from '../parts/lines-input';
import { BrandPreview, DEFAULT_COLOR } from './brand-preview';
import { DurationInput } from './duration-input';
import type { ProjectFields, ProjectForm } from './project-form';

type KeyOf<T> = { [K in keyof ProjectFields]: ProjectFields[K] extends T ? K : never }[keyof ProjectFields];
/** What is null unless it is set. */
type NullableKey = Exclude<KeyOf<string | null>, KeyOf<string>>;

interface FieldProps<Key extends keyof ProjectFields> {
  form: ProjectForm;
  of: Key;
  label: string;
  about?: string;
  placeholder?: string;
}

/** One line; empty is null, the default. */
function Line({ form, of, label, about, placeholder, max }: FieldProps<NullableKey> & { max: number }) {
  return (
    <TextInput
      label={label}
      description={about}
      placeholder={placeholder}
      maxLength={max}
      autoComplete="off"
      spellCheck={false}
      readOnly={form.isReadOnly}
      value={form.values[of] ?? ''}
      error={form.fault(of)}
      onChange={(event) => form.set(of, event.currentTarget.value || null)}
    />
  );
}

function Lines({ form, of, label, about, placeholder }: FieldProps<KeyOf<string[]>>): ReactNode {
  return (
    <LinesInput
      label={label}
      description={about}
      placeholder={placeholder}
      readOnly={form.isReadOnly}
      value={form.values[of]}
      error={form.fault(of)}
      onChange={(lines) => form.set(of, lines)}
    />
  );
}

function Toggle({ form, of, label, about }: FieldProps<KeyOf<boolean>>): ReactNode {
  return (
    <Switch
      label={label}
      description={about}
      disabled={form.isReadOnly}
      checked={form.values[of]}
      error={form.fault(of)}
      onChange={(event) => form.set(of, event.currentTarget.checked)}
    />
  );
}

interface DurationProps extends FieldProps<KeyOf<number>> {
  /** Seconds. */
  least: number;
  most: number;
  /** Both in words: "1 minute to 24 hours". */
  range: string;
  /** What else may be wrong with it. */
  otherFault?: string;
}

/** The API counts in seconds, also in what it says of a fault; people do not. */
function Duration({ form, of, label, about = '', least, most, range, otherFault }: DurationProps): ReactNode {
  const value = form.values[of];
  const isWithin = value >= least && value <= most;
  const fault = form.fault(of);
  return (
    <DurationInput
      label={label}
      description={`${range}. ${about}`}
      readOnly={form.isReadOnly}
      value={value}
      error={fault && (isWithin ? (otherFault ?? fault) : `Must be ${range}.`)}
      onChange={(seconds) => form.set(of, seconds)}
    />
  );
}

interface SectionProps {
  form: ProjectForm;
}

export function GeneralFields({ form }: SectionProps): ReactNode {
  return (
    <TextInput
      label="Name"
      maxLength={100}
      autoComplete="off"
      readOnly={form.isReadOnly}
      value={form.values.name}
      error={form.fault('name')}
      onChange={(event) => form.set('name', event.currentTarget.value)}
    />
  );
}

export function PageFields({ form }: SectionProps): ReactNode {
  const hosted = 'If empty, the hosted page is used.';
  const example = 'https://app.example.com/verify';
  return (
    <>
      <Lines
        form={form}
        of="allowedOrigins"
        label="Allowed origins"
        about="Origins whose pages can use the publishable key, one per line. If empty, all origins are allowed."
        placeholder="https://app.example.com"
      />
      <Lines
        form={form}
        of="redirectUrls"
        label="Redirect URLs"
        about="URLs that the “Continue” button of the hosted pages can link to, one per line. A requested URL must match exactly."
        placeholder="https://app.example.com/welcome"
      />
      <Line
        form={form}
        of="verifyEmailUrl"
        label="Verification page URL"
        about={`Target of the links in verification emails; ?token= is added. ${hosted}`}
        placeholder={example}
        max={2048}
      />
      <Line
        form={form}
        of="resetPasswordUrl"
        label="Password reset page URL"
        about={`Target of the links in password reset emails. ${hosted}`}
        max={2048}
      />
      <Line
        form={form}
        of="acceptInviteUrl"
        label="Invitation page URL"
        about={`Target of the links in invitation emails. ${hosted}`}
        max={2048}
      />
    </>
  );
}

export function SignInFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <Toggle
        form={form}
        of="requireVerifiedEmail"
        label="Require a verified email address"
        about="Customers with an unverified email address cannot sign in and receive no tokens at registration."
      />
      <Toggle
        form={form}
        of="enumerationProtection"
        label="Enumeration protection"
        about="Registration returns the same response whether or not the email address is already registered, and customers cannot sign in before their email address is verified."
      />
    </>
  );
}

export function TokenFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <Duration
        form={form}
        of="accessTokenTtl"
        label="Access token lifetime"
        least={60}
        most={86_400}
        range="1 minute to 24 hours"
        about="Default: 1 hour."
      />
      <Duration
        form={form}
        of="refreshIdleTtl"
        label="Session idle timeout"
        least={300}
        most={31_536_000}
        range="5 minutes to 365 days"
        about="Default: 30 days."
        otherFault="Must not be longer than the maximum session lifetime."
      />
      <Duration
        form={form}
        of="refreshAbsoluteTtl"
        label="Maximum session lifetime"
        least={300}
        most={63_072_000}
        range="5 minutes to 730 days"
        about="Must not be shorter than the session idle timeout. Default: 90 days."
        otherFault="Must not be shorter than the session idle timeout."
      />
      <Lines
        form={form}
        of="accessTokenClaims"
        label="Claims"
        about="Keys of the public metadata to include in access tokens, one per line. At most 10."
        placeholder="plan"
      />
    </>
  );
}

export function PasswordFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <NumberInput
        label="Minimum length"
        description="8 to 64 characters."
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        maw={140}
        readOnly={form.isReadOnly}
        value={form.values.passwordMinLength || ''}
        error={form.fault('passwordMinLength')}
        onChange={(length) => form.set('passwordMinLength', Number(length))}
      />
      <Toggle
        form={form}
        of="breachCheck"
        label="Reject breached passwords"
        about="New passwords are checked against a public list of breached passwords. Only five characters of a hash are sent. If the list is unavailable, the password is accepted."
      />
    </>
  );
}

export function BrandingFields({ form }: SectionProps): ReactNode {
  const { values } = form;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <div style={{ display: 'grid', gap: '1rem', alignContent: 'start' }}>
        <Line
          form={form}
          of="branding.displayName"
          label="Display name"
          about="If empty, the name of the project is used."
          placeholder={values.name}
          max={100}
        />
        <Line
          form={form}
          of="branding.logoUrl"
          label="Logo URL"
          about="HTTPS URL of an image."
          placeholder="https://cdn.example.com/logo.png"
          max={2048}
        />
        <ColorInput
          label="Color"
          description="Color of buttons."
          placeholder={DEFAULT_COLOR}
          format="hex"
          withEyeDropper={false}
          fixOnBlur={false}
          readOnly={form.isReadOnly}
          value={values['branding.color'] ?? ''}
          error={form.fault('branding.color')}
          onChange={(color) => form.set('branding.color', color || null)}
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

export function MailFields({ form }: SectionProps): ReactNode {
  return (
    <>
      <Line
        form={form}
        of="mail.fromName"
        label="Sender name"
        about="If empty, the sender name of the installation is used."
        max={100}
      />
      <Line
        form={form}
        of="mail.replyTo"
        label="Reply-to address"
        about="Address that receives replies. If empty, the address of the sender is used."
        placeholder="help@example.com"
        max={254}
      />
    </>
  );
}
