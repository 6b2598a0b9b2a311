import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { NoCredential, SigningKeyRing } from '#auth';

@ApiTags('Authentication')
@NoCredential()
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(private readonly ring: SigningKeyRing) {}

  /** The public keys of access tokens (RFC 7517). */
  @Get()
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOkResponse({
    schema: { type: 'object', properties: { keys: { type: 'array', items: { type: 'object' } } } },
  })
  show() {
    return this.ring.jwks();
  }
}
