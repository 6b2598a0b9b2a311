import { Anchor, PasswordInput, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LinesInput } from '../components/lines-input';
import { providerLabels, type ProviderFields } from './provider-fields';
import { hasCustomIssuer, providerTypes, type ProviderType } from './provider-types';

interface ProviderFormProps {
  type: ProviderType;
  /** Empty to use the type's default issuer. */
  issuer: string;
  value: ProviderFields;
  onChange: (changes: Partial<ProviderFields>) => void;
  /** Validation errors from the API, by field name. */
  errors: Record<string, string>;
  /** True if the provider exists, so that empty secrets stay unchanged. */
  isExisting?: boolean;
}

/** Renders the fields for creating or editing a provider. They depend on its type and issuer. */
export function ProviderForm(props: ProviderFormProps): ReactNode {
  const { type, issuer, value, onChange: set, errors } = props;
  const { label, hasNativeSignIn } = providerTypes[type];
  const labels = providerLabels(type);
  return (
    <Stack>
      <RegistrationHint type={type} />
      <TextInput
        label={labels.clientId}
        required={type === 'apple' && !props.isExisting}
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        value={value.clientId}
        error={errors.clientId}
        onChange={(event) => set({ clientId: event.currentTarget.value })}
      />
      {type === 'apple' ? <AppleFields {...props} set={set} /> : <SecretInput {...props} set={set} />}
      <TextInput
        label={labels.name}
        description="Shown on the sign-in button."
        placeholder={label}
        maxLength={100}
        autoComplete="off"
        value={value.name}
        error={errors.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      {type === 'microsoft' && (
        <LinesInput
          label={labels.tenants}
          description="IDs of the tenants whose accounts can sign in, one per line. If empty, accounts of all tenants can sign in."
          value={value.tenants}
          error={errors.tenants}
          onChange={(tenants) => set({ tenants })}
        />
      )}
      {hasNativeSignIn && <NativeFields {...props} set={set} />}
      <LinesInput
        label={labels.scopes}
        description="One per line. If empty, the default for the provider type is used."
        value={value.scopes}
        error={errors.scopes}
        onChange={(scopes) => set({ scopes })}
      />
      <Switch
        label={labels.allowSignUp}
        description="New customers can create accounts with this provider. If this is off, only existing customers can sign in."
        checked={value.allowSignUp}
        onChange={(event) => set({ allowSignUp: event.currentTarget.checked })}
      />
      {hasCustomIssuer({ type, issuer }) && (
        <Switch
          label={labels.trustEmail}
          description="Addresses in the provider's verified domains count as verified."
          checked={value.trustEmail}
          error={errors.trustEmail}
          onChange={(event) => set({ trustEmail: event.currentTarget.checked })}
        />
      )}
    </Stack>
  );
}

type PartProps = ProviderFormProps & { set: ProviderFormProps['onChange'] };

/** Renders a note on where to register the client. */
function RegistrationHint({ type }: { type: ProviderType }): ReactNode {
  const { client, console: site } = providerTypes[type];
  const guide = type === 'oidc' ? 'docs/identity-providers.md' : `docs/identity-providers/${type}.md`;
  return (
    <Text c="dimmed" size="sm">
      Register {client}
      {site ? (
        <>
          {' in '}
          <Anchor href={site.url} target="_blank" rel="noreferrer" inherit>
            {site.name}
          </Anchor>
        </>
      ) : (
        ' with the provider'
      )}
      . The steps are in <span style={{ overflowWrap: 'anywhere' }}>{guide}</span>.
    </Text>
  );
}

const keepHint = 'Leave empty to keep it.';

function SecretInput({ type, value, errors, isExisting, set }: PartProps): ReactNode {
  const labels = providerLabels(type);
  return (
    <PasswordInput
      label={labels.clientSecret}
      description={[providerTypes[type].secretHint, isExisting && keepHint].filter(Boolean).join(' ')}
      autoComplete="off"
      value={value.clientSecret}
      error={errors.clientSecret}
      onChange={(event) => set({ clientSecret: event.currentTarget.value })}
    />
  );
}

function AppleFields({ type, value, errors, isExisting, set }: PartProps): ReactNode {
  const labels = providerLabels(type);
  const id = (name: 'teamId' | 'keyId', description: string) => (
    <TextInput
      label={labels[name]}
      description={description}
      required={!isExisting}
      maxLength={10}
      autoComplete="off"
      spellCheck={false}
      value={value[name]}
      error={errors[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      {id('teamId', 'Shown under Membership details.')}
      {id('keyId', 'ID of the key that has “Sign in with Apple” enabled.')}
      <Textarea
        label={labels.privateKey}
        description={`The content of the .p8 file. ${isExisting ? keepHint : ''}`}
        required={!isExisting}
        placeholder="-----BEGIN PRIVATE KEY-----"
        autosize
        minRows={3}
        maxRows={8}
        maxLength={4096}
        autoComplete="off"
        spellCheck={false}
        value={value.privateKey}
        error={errors.privateKey}
        onChange={(event) => set({ privateKey: event.currentTarget.value })}
      />
    </>
  );
}

function NativeFields({ type, value, errors, set }: PartProps): ReactNode {
  const labels = providerLabels(type);
  return (
    <>
      <LinesInput
        label={labels.clientIds}
        description="For native sign-in on iOS and Android, one per line."
        value={value.clientIds}
        error={errors.clientIds}
        onChange={(clientIds) => set({ clientIds })}
      />
      <Switch
        label={labels.requireNonce}
        description="Native sign-ins must send the nonce that their ID token contains."
        checked={value.requireNonce}
        onChange={(event) => set({ requireNonce: event.currentTarget.checked })}
      />
    </>
  );
}
