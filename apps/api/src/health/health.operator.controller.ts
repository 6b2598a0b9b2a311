import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InstallationAccessRequired, Operator } from '@gatehouse/auth';
import { ApiProblems } from '../http/api-problems.js';
import { HealthResponse } from './dto/health.response.js';
import { TestMailRequest } from './dto/test-mail.request.js';
import { HealthService } from './health.service.js';
import { TestMailsService } from './test-mails.service.js';

@ApiTags('Operators')
@Controller('operator/v1/health')
@InstallationAccessRequired()
export class HealthOperatorController {
  constructor(
    private readonly health: HealthService,
    private readonly testMails: TestMailsService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'system.getHealth',
    summary: 'Get the system health',
    description: 'Returns versions, pending deliveries and emails, and running workers.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: HealthResponse })
  get(): Promise<HealthResponse> {
    return this.health.get();
  }

  @Post('test-mail')
  @ApiOperation({
    operationId: 'system.sendTestEmail',
    summary: 'Send a test email',
    description:
      'Queues the email for a worker. The number of waiting emails shows whether it has been sent.',
  })
  @HttpCode(202)
  @Operator('admin')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('conflict')
  async sendTestMail(@Body() { to }: TestMailRequest): Promise<Record<string, never>> {
    await this.testMails.send(to);
    return {};
  }
}
