import type { Schemas } from '../http/client';

export type Provider = Schemas['IdentityProviderResponse'];
export type ProviderType = Provider['type'];

/** The differences between the forms for the provider types. */
export interface ProviderTypeInfo {
  label: string;
  /** The provider's console, where clients are registered. */
  console?: { name: string; url: string };
  /** The provider's term for the client, with an article. */
  client: string;
  /** The provider's term for the client ID. */
  clientId: string;
  /** The provider's term for the client secret, and where to find it. */
  secretHint: string;
  /** Undefined if the issuer is always the same. */
  issuer?: {
    label: string;
    description: string;
    placeholder: string;
    required?: boolean;
    /** Matches the issuers of the public service. Undefined if the type has none. */
    service?: RegExp;
  };
  hasNativeSignIn?: boolean;
  /** True if the service has only personal accounts, so that the provider has no domains. */
  isPersonal?: boolean;
}

export const providerTypes: Record<ProviderType, ProviderTypeInfo> = {
  google: {
    label: 'Google',
    console: { name: 'Google Cloud', url: 'https://console.cloud.google.com/auth/clients' },
    client: 'an OAuth client of the type “Web application”',
    clientId: 'Client ID',
    secretHint: 'Shown once, when the client is created.',
    hasNativeSignIn: true,
  },
  github: {
    label: 'GitHub',
    isPersonal: true,
    console: { name: 'GitHub', url: 'https://github.com/settings/developers' },
    client: 'an OAuth app',
    clientId: 'Client ID',
    secretHint: 'Created with “Generate a new client secret”.',
    issuer: {
      label: 'URL of GitHub Enterprise Server',
      description: 'Leave empty for github.com. It cannot be changed later.',
      placeholder: 'https://github.example.com',
      service: /^https:\/\/github\.com$/,
    },
  },
  microsoft: {
    label: 'Microsoft',
    console: { name: 'Microsoft Entra', url: 'https://entra.microsoft.com/' },
    client: 'an app registration',
    clientId: 'Application (client) ID',
    secretHint: 'The “Value” of the client secret, not its “Secret ID”.',
    issuer: {
      label: 'Issuer',
      description:
        'Leave empty for all Microsoft accounts, or enter the issuer of one tenant. It cannot be changed later.',
      placeholder: 'https://login.microsoftonline.com/<tenant ID>/v2.0',
      service:
        /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers|[\da-f-]{36})\/v2\.0$/,
    },
  },
  apple: {
    label: 'Apple',
    console: { name: 'Apple Developer', url: 'https://developer.apple.com/account/resources/identifiers' },
    client: 'a Services ID',
    clientId: 'Services ID',
    secretHint: '',
    hasNativeSignIn: true,
  },
  gitlab: {
    label: 'GitLab',
    console: { name: 'GitLab', url: 'https://gitlab.com/-/user_settings/applications' },
    client: 'an application',
    clientId: 'Application ID',
    secretHint: 'Shown as “Secret” when the application is created.',
    issuer: {
      label: 'URL of a self-managed GitLab',
      description: 'Leave empty for gitlab.com. It cannot be changed later.',
      placeholder: 'https://gitlab.example.com',
      service: /^https:\/\/gitlab\.com$/,
    },
  },
  discord: {
    label: 'Discord',
    isPersonal: true,
    console: { name: 'Discord', url: 'https://discord.com/developers/applications' },
    client: 'an application',
    clientId: 'Client ID',
    secretHint: 'Created with “Reset Secret” under OAuth2.',
  },
  oidc: {
    label: 'OpenID Connect',
    client: 'a client for the authorization code flow',
    clientId: 'Client ID',
    secretHint: 'Leave empty for a public client.',
    issuer: {
      label: 'Issuer',
      description:
        'Exactly as in the discovery document, including any trailing slash. It cannot be changed later.',
      placeholder: 'https://login.example.com',
      required: true,
    },
  },
};

/**
 * Returns true if the issuer is a server other than the public service, such as a self-managed GitLab. Its email
 * addresses are trusted by domain.
 */
export function hasCustomIssuer({ type, issuer }: Pick<Provider, 'type' | 'issuer'>): boolean {
  const { issuer: field } = providerTypes[type];
  if (!field?.service) return field !== undefined;
  return issuer !== '' && !field.service.test(issuer);
}

/** Returns true if a provider has only personal accounts, and therefore no domains. */
export const isPersonal = (provider: Pick<Provider, 'type' | 'issuer'>): boolean =>
  providerTypes[provider.type].isPersonal === true && !hasCustomIssuer(provider);

/** Placeholder for the credentials of a provider whose client is not registered yet. */
export const PENDING = 'pending';

export const providerPath = ({ projectId, id }: Pick<Provider, 'projectId' | 'id'>): string =>
  `/projects/${projectId}/identity-providers/${id}`;
