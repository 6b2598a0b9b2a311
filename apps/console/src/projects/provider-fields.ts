import type { Schemas } from '../http/client';
import { hasCustomIssuer, PENDING, providerTypes, type Provider, type ProviderType } from './provider-types';

/** A provider's editable fields, as entered. */
export interface ProviderFields {
  name: string;
  clientId: string;
  /** Empty to keep the secret. The API never returns it. */
  clientSecret: string;
  clientIds: string[];
  teamId: string;
  keyId: string;
  /** Empty to keep the key. The API never returns it. */
  privateKey: string;
  tenants: string[];
  /** Empty to use the type's default scopes. */
  scopes: string[];
  allowSignUp: boolean;
  trustEmail: boolean;
  requireNonce: boolean;
}

export const emptyProviderFields: ProviderFields = {
  name: '',
  clientId: '',
  clientSecret: '',
  clientIds: [],
  teamId: '',
  keyId: '',
  privateKey: '',
  tenants: [],
  scopes: [],
  allowSignUp: true,
  trustEmail: false,
  requireNonce: false,
};

/** Returns the field labels for a type. */
export const providerLabels = (type: ProviderType): Record<keyof ProviderFields, string> => ({
  name: 'Name',
  clientId: providerTypes[type].clientId,
  clientSecret: 'Client secret',
  clientIds: 'App client IDs',
  teamId: 'Team ID',
  keyId: 'Key ID',
  privateKey: 'Private key',
  tenants: 'Tenants',
  scopes: 'Scopes',
  allowSignUp: 'Allow sign-up',
  trustEmail: 'Trust email addresses',
  requireNonce: 'Require a nonce',
});

/** Returns a provider's fields. A placeholder credential is shown as an empty field. */
export const toProviderFields = (provider: Provider): ProviderFields => ({
  name: provider.name,
  clientId: provider.clientId === PENDING ? '' : provider.clientId,
  clientSecret: '',
  clientIds: provider.clientIds,
  teamId: provider.teamId ?? '',
  keyId: provider.keyId ?? '',
  privateKey: '',
  tenants: provider.tenants,
  scopes: provider.scopes,
  allowSignUp: provider.allowSignUp,
  trustEmail: provider.trustEmail,
  requireNonce: provider.requireNonce,
});

/** Returns the request fields that apply to the provider's type and issuer. Empty secrets are omitted. */
export function toProviderBody(
  { type, issuer }: Pick<Provider, 'type' | 'issuer'>,
  fields: ProviderFields,
): Schemas['UpdateIdentityProviderRequest'] {
  const { clientId, clientSecret, teamId, keyId, privateKey } = fields;
  const text = (value: string): string | undefined => value.trim() || undefined;
  return {
    name: text(fields.name) ?? null,
    clientId: text(clientId),
    scopes: fields.scopes.length > 0 ? fields.scopes : null,
    allowSignUp: fields.allowSignUp,
    ...(type === 'apple'
      ? { teamId: text(teamId), keyId: text(keyId), privateKey: text(privateKey) }
      : { clientSecret: text(clientSecret) }),
    ...(type === 'microsoft' && { tenants: fields.tenants }),
    ...(hasCustomIssuer({ type, issuer }) && { trustEmail: fields.trustEmail }),
    ...(providerTypes[type].hasNativeSignIn && {
      clientIds: fields.clientIds,
      requireNonce: fields.requireNonce,
    }),
  };
}
