import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, OrganizationKey, SecretKey, type ManagementCaller } from '@gatehouse/auth';
import { parsePathUuid } from '@gatehouse/domain';
import { ApiCamelList } from '../http/lists/api-envelopes.js';
import { ApiProblems } from '../http/problems/api-problems.js';
import { ETag } from '../http/preconditions/entity-tag.js';
import { camelList, PageQuery } from '../http/lists/paging.js';
import { IfMatch, Precondition } from '../http/preconditions/precondition.js';
import { MailTemplateRequest } from './dto/mail-template.request.js';
import { MailPreviewResponse, MailTemplateResponse } from './dto/mail-template.response.js';
import { MailTemplatesService, parseTemplatePath } from './mail-templates.service.js';

@ApiTags('Email templates')
@Controller('api/v1/projects/:projectId/mail-templates')
export class MailTemplatesController {
  constructor(protected readonly templates: MailTemplatesService) {}

  @Get()
  @ApiOperation({
    operationId: 'mailTemplates.list',
    summary: 'List email templates',
    description:
      'Returns the effective text of every kind of email in each language of Gatehouse and of the project, ordered by kind and language.',
  })
  @SecretKey('project:read')
  @ApiCamelList(MailTemplateResponse)
  async list(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Query() query: PageQuery,
  ) {
    const { items, nextCursor } = await this.templates.list(caller, parsePathUuid(projectId), query);
    return camelList(
      items.map((template) => MailTemplateResponse.from(template)),
      nextCursor,
    );
  }

  @Get(':kind/:language')
  @ApiOperation({
    operationId: 'mailTemplates.get',
    summary: 'Get an email template',
    description: 'Returns the text of the project, or the built-in text if the project has not changed it.',
  })
  @SecretKey('project:read')
  @ETag()
  @ApiOkResponse({ type: MailTemplateResponse })
  async get(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('kind') kind: string,
    @Param('language') language: string,
  ): Promise<MailTemplateResponse> {
    const path = parseTemplatePath(projectId, kind, language);
    return MailTemplateResponse.from(await this.templates.get(caller, path));
  }

  @Patch(':kind/:language')
  @ApiOperation({
    operationId: 'mailTemplates.update',
    summary: 'Update an email template',
    description:
      'Changes only the fields in the request (JSON Merge Patch, RFC 7396). `null` resets a field to the built-in text. The first update of a language without built-in texts adds the language, and requires every field. Emails that already exist keep their text.',
  })
  @OrganizationKey('project:write')
  @ETag()
  @ApiOkResponse({ type: MailTemplateResponse })
  @ApiProblems('project_archived', 'conflict')
  async update(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('kind') kind: string,
    @Param('language') language: string,
    @Body() body: MailTemplateRequest,
    @IfMatch() precondition: Precondition,
  ): Promise<MailTemplateResponse> {
    const path = parseTemplatePath(projectId, kind, language);
    return MailTemplateResponse.from(await this.templates.update(caller, path, body, precondition));
  }

  @Delete(':kind/:language')
  @ApiOperation({
    operationId: 'mailTemplates.delete',
    summary: 'Delete an email template',
    description: 'Emails then use the built-in text, or the text in the next preferred language.',
  })
  @HttpCode(204)
  @OrganizationKey('project:write')
  @ApiNoContentResponse()
  @ApiProblems('project_archived')
  async delete(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('kind') kind: string,
    @Param('language') language: string,
  ): Promise<void> {
    await this.templates.delete(caller, parseTemplatePath(projectId, kind, language));
  }

  @Post(':kind/:language/preview')
  @ApiOperation({
    operationId: 'mailTemplates.preview',
    summary: 'Preview an email template',
    description:
      'Applies the changes in the request to the template, and returns the email with sample values. Saves nothing.',
  })
  @HttpCode(200)
  @OrganizationKey('project:write')
  @ApiOkResponse({ type: MailPreviewResponse })
  async preview(
    @CurrentCaller() caller: ManagementCaller,
    @Param('projectId') projectId: string,
    @Param('kind') kind: string,
    @Param('language') language: string,
    @Body() body: MailTemplateRequest,
  ): Promise<MailPreviewResponse> {
    const path = parseTemplatePath(projectId, kind, language);
    return MailPreviewResponse.from(await this.templates.preview(caller, path, body));
  }
}
