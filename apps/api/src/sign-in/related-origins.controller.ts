import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NoCredential } from '@gatehouse/auth';
import { parseValidUrl, webOrigins } from '@gatehouse/domain';
import { ProjectsRepository } from '@gatehouse/persistence';
import { Config } from '@gatehouse/platform';
import { RelatedOriginsResponse } from './dto/related-origins.response.js';

/**
 * Lists the other sites that may use passkeys for the PUBLIC_URL host (WebAuthn, section 5.11). Does not list sites for
 * other hosts, because a tenant could use another tenant's domain.
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
      "Returns the `passkeys.origins` of the project whose `rpId` is this server's host (WebAuthn Level 3, section 5.11). Browsers read this list before they let a page on another site use the passkeys.",
  })
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOkResponse({ type: RelatedOriginsResponse })
  async list(): Promise<RelatedOriginsResponse> {
    const project = await this.projects.findByRpId(parseValidUrl(this.config.publicUrl).hostname);
    return { origins: webOrigins(project?.settings.passkeys?.origins ?? []) };
  }
}
