import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Operator, OperatorRoutes, type OperatorCaller } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { PickRoutes } from '../http/pick-routes.js';
import { MailTemplateRequest } from './dto/mail-template.request.js';
import { MailTemplatesController } from './mail-templates.controller.js';
import { parseTemplatePath } from './mail-templates.service.js';

@ApiTags('Operators')
@Controller('operator/v1/projects/:projectId/mail-templates')
@OperatorRoutes()
export class MailTemplatesOperatorController extends PickRoutes(MailTemplatesController, [
  'list',
  'get',
  'update',
  'delete',
  'preview',
]) {
  @Post(':kind/:language/test')
  @ApiOperation({
    operationId: 'mailTemplates.sendTest',
    summary: 'Send a test email from a template',
    description:
      'Applies the changes in the request to the template, and sends the email with sample values to the address of the operator. Its link is not valid. Saves nothing.',
  })
  @HttpCode(202)
  @Operator('admin')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('project_archived')
  async sendTest(
    @CurrentCaller() caller: OperatorCaller,
    @Param('projectId') projectId: string,
    @Param('kind') kind: string,
    @Param('language') language: string,
    @Body() body: MailTemplateRequest,
  ): Promise<Record<string, never>> {
    await this.templates.sendTest(caller, parseTemplatePath(projectId, kind, language), body);
    return {};
  }
}
