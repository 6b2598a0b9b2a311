import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JWKS_MAX_AGE_SECONDS, NoCredential } from '@gatehouse/auth';
import { signingAlgorithms } from '@gatehouse/domain';
import { Config } from '@gatehouse/platform';
import { DiscoveryResponse } from './dto/discovery.response.js';

/**
 * Serves the discovery document for gateways and databases that verify access tokens (OpenID Connect Discovery 1.0).
 */
@ApiTags('Authentication')
@NoCredential()
@Controller('.well-known/openid-configuration')
export class DiscoveryController {
  constructor(private readonly config: Config) {}

  @Get()
  @ApiOperation({
    operationId: 'discovery.get',
    summary: 'Get the discovery document',
    description:
      'Returns the metadata that a gateway or database needs to verify access tokens (OpenID Connect Discovery 1.0). Gatehouse is not an OpenID Provider, so the document contains no endpoints for authorization.',
  })
  @Header('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
  @ApiOkResponse({ type: DiscoveryResponse })
  get(): DiscoveryResponse {
    const { publicUrl } = this.config;
    return {
      issuer: publicUrl,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
      response_types_supported: ['token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...signingAlgorithms],
    };
  }
}
