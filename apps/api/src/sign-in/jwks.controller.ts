import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { JWKS_MAX_AGE_SECONDS, NoCredential, SigningKeyRing } from '@gatehouse/auth';
import { JwksResponse } from './dto/jwks.response.js';

@ApiTags('Authentication')
@NoCredential()
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(private readonly ring: SigningKeyRing) {}

  @Get()
  @ApiOperation({
    operationId: 'jwks.get',
    summary: 'Get the JSON Web Key Set',
    description: 'Returns the public keys that verify access tokens (RFC 7517).',
  })
  @Header('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
  @ApiOkResponse({ type: JwksResponse })
  get() {
    return this.ring.getJwks();
  }
}
