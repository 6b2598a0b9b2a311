import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiProblems } from '../http/problems/api-problems.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import { DomainCheckResponse } from './dto/provider-domain.response.js';
import { ProviderDomainsService } from './provider-domains.service.js';

@ApiTags('Identity providers')
@Controller('api/v1/projects/:projectId/identity-providers/:providerId/domains')
export class ProviderDomainsController {
  constructor(protected readonly domains: ProviderDomainsService) {}

  @Post(':domain/verify')
  @ApiOperation({
    operationId: 'identityProviders.verifyDomain',
    summary: "Verify an identity provider's domain",
    description:
      'Looks up the DNS record of the domain. If it is found, the domain is verified, and its addresses belong to the provider. Otherwise, `detail` describes what to change. Gatehouse repeats the lookup every day.',
  })
  @HttpCode(200)
  @SecretKey('project:write')
  @RateLimit('domain-check')
  @ApiOkResponse({ type: DomainCheckResponse })
  @ApiProblems('project_archived', 'conflict')
  async verify(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('providerId') id: string,
    @Param('domain') name: string,
  ): Promise<DomainCheckResponse> {
    const [project, provider] = [parsePathUuid(projectId), parsePathUuid(id)];
    const { domain, finding } = await this.domains.verify(caller, project, provider, name);
    return DomainCheckResponse.of(domain, finding);
  }
}
