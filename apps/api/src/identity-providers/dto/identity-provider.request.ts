import {
  canonicalDomain,
  identityProviderTypes,
  isReservedProviderSlug,
  isSlug,
  isUuid,
  MAX_PROVIDER_DOMAINS,
  type IdentityProviderType,
  type ProviderSettingsPatch,
} from '@gatehouse/domain';
import {
  BooleanField,
  CheckedField,
  OneOfField,
  SecretField,
  TextField,
  TextSetField,
} from '../../http/input/fields.js';
import { NameTextField } from '../../http/input/name-fields.js';
import { slugSchema, targetUrlSchema } from '../../http/input/text-schemas.js';
import { appleIdSchema, clientCredentialSchema } from './identity-provider.fields.js';

const MAX_SCOPES = 20;
const MAX_CLIENT_IDS = 20;
const MAX_TENANTS = 50;

/** Returns the options for an optional field. Null resets it to the default. */
const setting = (description: string) => ({ description, optional: true, nullable: true });

const isCredential = (text: string): boolean => new RegExp(clientCredentialSchema.pattern).test(text);
const CREDENTIAL_RULE = 'of at most 2048 visible ASCII characters';

/** RFC 6749, section 3.3. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/;

const AppleIdField = (description: string): PropertyDecorator =>
  CheckedField({
    description,
    example: 'ABCDE12345',
    optional: true,
    schema: appleIdSchema,
    isValid: (text) => new RegExp(appleIdSchema.pattern).test(text),
    message: '$property must be 10 characters of A-Z and 0-9',
  });

const clientId = {
  description: 'Client id that the provider has assigned',
  example: '1234567890-abc.apps.googleusercontent.com',
  schema: clientCredentialSchema,
  isValid: isCredential,
  message: `$property must be a string ${CREDENTIAL_RULE}`,
};

/** Host names with at least two labels. `canonicalDomain` performs the exact check. */
const domainPattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** The fields that the create and update requests share. */
abstract class ProviderFieldsRequest implements ProviderSettingsPatch {
  @NameTextField({
    ...setting('Name on the button of the provider. Default: the name of the preset'),
    example: 'Google',
    minLength: 1,
    maxLength: 100,
  })
  name?: string | null;

  @CheckedField({
    ...setting(
      'Client secret. It is stored encrypted and never returned. Required, except for `apple` and for public clients of `oidc`',
    ),
    schema: { ...clientCredentialSchema, writeOnly: true },
    isValid: isCredential,
    message: `$property must be a string ${CREDENTIAL_RULE}`,
  })
  clientSecret?: string | null;

  @TextSetField({
    ...setting(
      'For `google` and `apple`: further client ids whose id tokens are accepted in native sign-ins, such as the client ids of your apps',
    ),
    maxItems: MAX_CLIENT_IDS,
    itemSchema: clientCredentialSchema,
    isValid: isCredential,
    message: `$property must contain strings ${CREDENTIAL_RULE}`,
  })
  clientIds?: string[] | null;

  @AppleIdField('Team id. Required for `apple`') teamId?: string;
  @AppleIdField('Id of the private key. Required for `apple`') keyId?: string;

  @SecretField({
    description:
      'Content of the .p8 file, a P-256 private key in PEM (PKCS #8). Required for `apple`. It is stored encrypted and never returned',
    optional: true,
    maxLength: 4096,
    schema: { writeOnly: true },
  })
  privateKey?: string;

  @TextSetField({
    ...setting(
      'For `microsoft`: ids of the tenants whose accounts may sign in. An empty list allows all tenants that the issuer accepts',
    ),
    maxItems: MAX_TENANTS,
    itemSchema: { format: 'uuid' },
    isValid: isUuid,
    message: '$property must contain UUIDs in lowercase',
  })
  tenants?: string[] | null;

  @TextSetField({
    ...setting('Scopes to request. Default: the scopes of the preset. OpenID Providers require `openid`'),
    example: ['openid', 'email', 'profile'],
    maxItems: MAX_SCOPES,
    itemSchema: { pattern: scopePattern.source },
    isValid: (text) => scopePattern.test(text),
    message: '$property must contain scopes without spaces',
  })
  scopes?: string[] | null;

  @BooleanField(
    setting('If false, sign-ins with the provider are rejected. Identities are kept. Default: true'),
  )
  enabled?: boolean | null;

  @BooleanField(
    setting(
      'If false, only existing customers can sign in. The project setting `signIn.allowSignUp` applies as well. Default: true',
    ),
  )
  allowSignUp?: boolean | null;

  @BooleanField(
    setting(
      'If true, email addresses in the verified domains of the provider are trusted. Available for `oidc`, and for `github`, `gitlab` and `microsoft` with a custom `issuer`. Default: false',
    ),
  )
  trustEmail?: boolean | null;

  @BooleanField(
    setting(
      'For `google` and `apple`: if true, the id tokens of native sign-ins must contain the nonce of the request. Default: false',
    ),
  )
  requireNonce?: boolean | null;

  @TextSetField({
    ...setting(
      'Email domains that belong to the organization behind the provider. Not available for github.com and `discord`. A domain has no effect until its DNS record in `domainVerifications` verifies it. Subdomains are separate',
    ),
    example: ['acme.example'],
    maxItems: MAX_PROVIDER_DOMAINS,
    itemSchema: { pattern: domainPattern.source, maxLength: 232 },
    isValid: (text) => canonicalDomain(text) === text,
    message:
      '$property must contain domains in lowercase, such as acme.example, with at least two labels, and not a public suffix such as co.uk',
  })
  domains?: string[] | null;

  @BooleanField(
    setting(
      'If true, customers with an address in the verified domains of the provider can sign in only with this provider: every other method returns 403 `sso_required`. Their sessions from other methods end within seconds. Default: false',
    ),
  )
  required?: boolean | null;
}

export class CreateIdentityProviderRequest extends ProviderFieldsRequest {
  @OneOfField(
    'Type of the provider: a preset, or `oidc` for any OpenID Provider. It cannot change',
    identityProviderTypes,
    {
      optional: false,
      example: 'google',
    },
  )
  type!: IdentityProviderType;

  @CheckedField({
    description:
      'Identifies the provider in requests: 3 to 48 characters of a-z, 0-9 and -, unique in the project. It cannot change. Not allowed: callback, exchange, token. Default: the type',
    example: 'google',
    optional: true,
    schema: slugSchema,
    isValid: (text) => isSlug(text) && !isReservedProviderSlug(text),
    message: '$property must be 3 to 48 characters of a-z, 0-9 and -, and not callback, exchange or token',
  })
  slug?: string;

  @CheckedField(clientId) clientId!: string;

  @TextField({
    ...setting(
      'Issuer of id tokens, exactly as in the discovery document. Required for `oidc`. Optional for a single tenant of `microsoft`, and for a self-managed `gitlab` or `github` server, where it is the URL of the server. Email addresses from a self-managed server are trusted only in verified domains, with `trustEmail`. It cannot change',
    ),
    example: 'https://login.acme.example',
    maxLength: targetUrlSchema.maxLength,
    schema: targetUrlSchema,
  })
  issuer?: string | null;
}

export class UpdateIdentityProviderRequest extends ProviderFieldsRequest {
  @CheckedField({ ...clientId, optional: true }) clientId?: string;
}
