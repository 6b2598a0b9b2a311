import { ApiProperty } from '@nestjs/swagger';
import {
  connectionCheckNames,
  identityProviderTypes,
  providerWarningCodes,
  type ConnectionCheck,
  type ConnectionCheckName,
  type IdentityProvider,
  type IdentityProviderType,
  type ProviderDomain,
  type ProviderWarning,
} from '@gatehouse/domain';
import { slugSchema } from '../../http/input/text-schemas.js';
import { DomainVerificationResponse } from './provider-domain.response.js';
import { appleIdSchema, clientCredentialSchema } from './identity-provider.fields.js';

const texts = (description: string) => ({ type: String, isArray: true, description });

/** An effect of valid settings that an operator may not expect. */
export class ProviderWarningResponse implements ProviderWarning {
  @ApiProperty({ enum: providerWarningCodes }) code!: ProviderWarning['code'];
  @ApiProperty({
    description: 'The effect and its remedy',
    example:
      'Customers with an email address in a domain of acme but no linked identity cannot sign in, because Gatehouse does not trust email addresses from this required provider. Set trustEmail to true, or set required to false.',
  })
  message!: string;
}

/** The client settings of a provider whose protocol has none. */
const withoutClient = {
  ...{ clientId: '', clientIds: [] as string[], tenants: [] as string[], scopes: [] as string[] },
  ...{ teamId: null as string | null, keyId: null as string | null, requireNonce: false },
  ...{ hasClientSecret: false, hasPrivateKey: false },
};

/** A provider without its secrets. */
export class IdentityProviderResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ enum: identityProviderTypes }) type!: IdentityProviderType;
  @ApiProperty({ ...slugSchema, description: 'Identifies the provider in requests', example: 'google' })
  slug!: string;
  @ApiProperty({ description: 'Name on the button of the provider', example: 'Google' }) name!: string;
  @ApiProperty({ ...clientCredentialSchema, description: 'Client id that the provider has assigned' })
  clientId!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'string', ...clientCredentialSchema },
    description: 'Further client ids whose id tokens are accepted in native sign-ins',
  })
  clientIds!: string[];
  @ApiProperty({ description: 'True if the provider has a client secret' }) hasClientSecret!: boolean;
  @ApiProperty({ description: 'Issuer of id tokens, or URL of the provider' }) issuer!: string;
  @ApiProperty({ description: 'URL to register with the provider', format: 'uri' }) callbackUrl!: string;
  @ApiProperty(
    texts(
      'Ids of the Microsoft tenants whose accounts may sign in. An empty list allows all tenants that the issuer accepts',
    ),
  )
  tenants!: string[];
  @ApiProperty(texts('Scopes to request')) scopes!: string[];
  @ApiProperty({ ...appleIdSchema, type: String, nullable: true, description: 'Apple team id' })
  teamId!: string | null;
  @ApiProperty({
    ...appleIdSchema,
    type: String,
    nullable: true,
    description: 'Id of the Apple private key',
  })
  keyId!: string | null;
  @ApiProperty({ description: 'True if the provider has a private key' }) hasPrivateKey!: boolean;
  @ApiProperty({ description: 'False if sign-ins with the provider are rejected' }) enabled!: boolean;
  @ApiProperty({ description: 'False if only existing customers can sign in' }) allowSignUp!: boolean;
  @ApiProperty({ description: 'True if email addresses in the verified domains of the provider are trusted' })
  trustEmail!: boolean;
  @ApiProperty({ description: 'True if id tokens of native sign-ins must contain a nonce' })
  requireNonce!: boolean;
  @ApiProperty(texts('Email domains, verified or not, in alphabetical order'))
  domains!: string[];
  @ApiProperty({
    type: [DomainVerificationResponse],
    description: 'The DNS record of each domain and its state',
  })
  domainVerifications!: DomainVerificationResponse[];
  @ApiProperty({
    description:
      'True if customers with an address in its verified domains can sign in only with this provider',
  })
  required!: boolean;
  @ApiProperty({
    type: [ProviderWarningResponse],
    description: 'Possibly unexpected effects of these fields together with the project settings',
  })
  warnings!: ProviderWarningResponse[];
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;

  /**
   * @param settings the settings as described by the protocol
   * @param warnings warnings about the provider
   */
  static from(
    provider: IdentityProvider,
    settings: Record<string, unknown>,
    domains: ProviderDomain[],
    warnings: ProviderWarning[],
    callbackUrl: string,
  ): IdentityProviderResponse {
    const { id, projectId, type, slug, name, issuer, enabled, allowSignUp, trustEmail, required } = provider;
    const described = { ...withoutClient, ...settings };
    return {
      id,
      projectId,
      type,
      slug,
      name,
      clientId: described.clientId,
      clientIds: described.clientIds,
      hasClientSecret: described.hasClientSecret,
      issuer,
      callbackUrl,
      tenants: described.tenants,
      scopes: described.scopes,
      teamId: described.teamId,
      keyId: described.keyId,
      hasPrivateKey: described.hasPrivateKey,
      enabled,
      allowSignUp,
      trustEmail,
      requireNonce: described.requireNonce,
      domains: domains.map(({ domain }) => domain),
      domainVerifications: domains.map((domain) => DomainVerificationResponse.from(domain)),
      required,
      warnings,
      createdAt: provider.createdAt.toISOString(),
      updatedAt: provider.updatedAt.toISOString(),
    };
  }
}

/** The result of one check. */
export class ConnectionCheckResponse {
  @ApiProperty({ enum: connectionCheckNames }) name!: ConnectionCheckName;
  @ApiProperty() ok!: boolean;
  @ApiProperty({
    description: 'Result of the check and, after a failure, the remedy',
    example: 'The provider publishes 2 keys for id tokens.',
  })
  detail!: string;
}

/** A provider connection test's result. */
export class ConnectionTestResponse {
  @ApiProperty({ description: 'True if no check has failed' }) ok!: boolean;
  @ApiProperty({
    type: [ConnectionCheckResponse],
    description: 'The checks in order, without those that depend on a failed check',
  })
  checks!: ConnectionCheckResponse[];

  static from(checks: ConnectionCheck[]): ConnectionTestResponse {
    return {
      ok: checks.every(({ ok }) => ok),
      checks: checks.map(({ name, ok, detail }) => ({ name, ok, detail })),
    };
  }
}
