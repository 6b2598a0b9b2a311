import {
  applyProviderPatch,
  invalidField,
  isJsonObject,
  notAllowedError,
  requiredError,
  type FieldError,
  type IdentityProviderType,
  type ProviderPreset,
} from '@gatehouse/domain';
import { readSigningKey, UnreadableValueError } from '@gatehouse/platform';
import {
  UNREADABLE_SECRET,
  type ProtocolSettings,
  type SettingsColumns,
  type SettingsPatch,
} from '../identity-protocol.js';

/** The settings that an OAuth 2.0 or OpenID Connect client needs. */
export interface OAuthClientSettings {
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  scopes: string[];
  /** Further client ids whose id tokens are accepted in native sign-ins, such as app ids. */
  clientIds: string[];
  /** True if id tokens in native sign-ins must contain the request's nonce. */
  requireNonce: boolean;
  /** For Microsoft: ids of the tenants whose accounts may sign in; empty for all. */
  tenants: string[];
  /** For Apple; otherwise null. */
  teamId: string | null;
  /** For Apple: the private key's id; otherwise null. */
  keyId: string | null;
  /** For Apple: the key that signs client secrets, in PEM; otherwise null. */
  privateKey: string | null;
}

/** Properties of a service for which Gatehouse acts as a client. */
export interface OAuthClientPreset extends ProviderPreset {
  /** Default scopes. */
  scopes: string[];
  /** True if the client secret is a token that Gatehouse signs with the provider's private key. */
  signsClientSecret?: boolean;
}

type Presets = Readonly<Partial<Record<IdentityProviderType, OAuthClientPreset>>>;

/** The format of client settings, including secrets, which the API never returns. */
export class OAuthClientSettingsFormat implements ProtocolSettings<OAuthClientSettings> {
  readonly columns: SettingsColumns<OAuthClientSettings> = {
    read: ({ clientSecret, privateKey, ...settings }, open) => ({
      ...settings,
      clientSecret: clientSecret && open(clientSecret),
      privateKey: privateKey && open(privateKey),
    }),
    write: (settings, seal, before) => {
      const { clientId, clientIds, tenants, scopes, teamId, keyId, requireNonce } = settings;
      const sealed = (name: 'clientSecret' | 'privateKey') => {
        const secret = settings[name];
        if (secret === UNREADABLE_SECRET) return before![name];
        return secret === null ? null : seal(secret);
      };
      const secrets = { clientSecret: sealed('clientSecret'), privateKey: sealed('privateKey') };
      return { clientId, clientIds, tenants, scopes, teamId, keyId, requireNonce, ...secrets };
    },
  };

  /** @param requiredScopes scopes without which the protocol does not work */
  constructor(
    private readonly presets: Presets,
    private readonly requiredScopes: string[],
  ) {}

  read(type: IdentityProviderType, document: unknown): OAuthClientSettings {
    const defaults = this.defaultsOf(type);
    if (!isJsonObject(document)) throw new Error('the settings are not a JSON object');
    const names = Object.keys(defaults) as (keyof OAuthClientSettings)[];
    const settings = names.map((name) => {
      const value = document[name] ?? defaults[name];
      if (!hasValidType[name](value)) throw new Error(`the setting ${name} has the wrong type`);
      return [name, value];
    });
    // Settings that a later version has added are retained.
    return { ...document, ...Object.fromEntries(settings) } as OAuthClientSettings;
  }

  merge(
    type: IdentityProviderType,
    current: OAuthClientSettings | null,
    patch: SettingsPatch,
  ): OAuthClientSettings {
    const defaults = this.defaultsOf(type);
    const merged = applyProviderPatch(defaults, current ?? defaults, patch as Partial<OAuthClientSettings>);
    const settings = { ...current, ...merged };
    if (typeof patch['privateKey'] !== 'string') return settings;
    const privateKey = readSigningKey(patch['privateKey']);
    if (privateKey === null)
      throw invalidField(
        'privateKey',
        'invalid',
        'privateKey must be the content of a .p8 file: a P-256 private key in PEM (PKCS #8)',
      );
    return { ...settings, privateKey };
  }

  errors(type: IdentityProviderType, settings: OAuthClientSettings): FieldError[] {
    const { clientId, clientIds, requireNonce, tenants, scopes } = settings;
    const preset = this.presets[type]!;
    const errors = credentialErrors(type, preset, settings);
    if (clientId === '') errors.push(requiredError('clientId', type));
    if (clientIds.length > 0 && !preset.hasNativeSignIn)
      errors.push(notAllowedError('clientIds', 'google and apple'));
    if (requireNonce && !preset.hasNativeSignIn)
      errors.push(notAllowedError('requireNonce', 'google and apple'));
    if (tenants.length > 0 && type !== 'microsoft') errors.push(notAllowedError('tenants', 'microsoft'));
    for (const scope of this.requiredScopes.filter((each) => !scopes.includes(each)))
      errors.push({ field: 'scopes', code: 'invalid', message: `scopes must contain ${scope}` });
    return errors;
  }

  describe(settings: OAuthClientSettings): Record<string, unknown> {
    const { clientId, clientIds, tenants, scopes, teamId, keyId, requireNonce } = settings;
    const { clientSecret, privateKey } = settings;
    const secrets = { hasClientSecret: clientSecret !== null, hasPrivateKey: privateKey !== null };
    return { clientId, clientIds, tenants, scopes, teamId, keyId, requireNonce, ...secrets };
  }

  private defaultsOf(type: IdentityProviderType): OAuthClientSettings {
    return {
      ...{ clientId: '', clientIds: [], tenants: [], scopes: [...this.presets[type]!.scopes] },
      ...{ teamId: null, keyId: null, requireNonce: false, clientSecret: null, privateKey: null },
    };
  }
}

/** Returns a secret. @throws UnreadableValueError if it could not be decrypted */
export function useSecret<Secret extends string | null>(secret: Secret): Secret {
  if (secret === UNREADABLE_SECRET)
    throw new UnreadableValueError('identity-provider-secret', 'the secret cannot be decrypted');
  return secret;
}

const isString = (value: unknown): boolean => typeof value === 'string';
const isOptionalString = (value: unknown): boolean => value === null || isString(value);
const isStringList = (value: unknown): boolean => Array.isArray(value) && value.every(isString);

/** Type checks by setting. */
const hasValidType: Record<keyof OAuthClientSettings, (value: unknown) => boolean> = {
  ...{ clientId: isString, clientIds: isStringList, scopes: isStringList, tenants: isStringList },
  ...{
    clientSecret: isOptionalString,
    privateKey: isOptionalString,
    teamId: isOptionalString,
    keyId: isOptionalString,
  },
  requireNonce: (value) => typeof value === 'boolean',
};

/** Returns the errors in the provider's client credentials. */
function credentialErrors(
  type: IdentityProviderType,
  { signsClientSecret }: OAuthClientPreset,
  { teamId, keyId, privateKey, clientSecret }: OAuthClientSettings,
): FieldError[] {
  const signing = Object.entries({ teamId, keyId, privateKey });
  if (signsClientSecret)
    return [
      ...signing.filter(([, value]) => value === null).map(([field]) => requiredError(field, type)),
      ...(clientSecret === null
        ? []
        : [
            {
              field: 'clientSecret',
              code: 'not_allowed',
              message: `clientSecret is not available for ${type}: Gatehouse signs its client secrets with privateKey`,
            },
          ]),
    ];
  return [
    ...signing.filter(([, value]) => value !== null).map(([field]) => notAllowedError(field, 'apple')),
    // Only an OpenID Provider's client can be public.
    ...(clientSecret !== null || type === 'oidc' ? [] : [requiredError('clientSecret', type)]),
  ];
}
