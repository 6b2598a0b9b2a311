import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NoCredential } from '@gatehouse/auth';
import { parseValidUrl, webOrigins } from '@gatehouse/domain';
import { ProjectsRepository } from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { RelatedOriginsResponse } from './dto/related-origins.response.js';

/**
 * Lists the other sites that may use passkeys for the PUBLIC_URL host (WebAuthn, section 5.11). For other hosts it
 * lists none, because a tenant could use another tenant's domain.
 */
@ApiTags('Authentication')
@NoCredential()
@Controller('.well-known/webauthn')
export class RelatedOriginsController {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly config: Config,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'relatedOrigins.list',
    summary: 'List related origins for passkeys',
    description:
      'Returns `passkeys.origins` of the project whose `rpId` is the host of this server (WebAuthn Level 3, section 5.11). Browsers read it before a page of another site uses these passkeys.',
  })
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOkResponse({ type: RelatedOriginsResponse })
  async list(): Promise<RelatedOriginsResponse> {
    const project = await this.projects.findByRpId(parseValidUrl(this.config.publicUrl).hostname);
    return { origins: webOrigins(project?.settings.passkeys?.origins ?? []) };
  }
}
