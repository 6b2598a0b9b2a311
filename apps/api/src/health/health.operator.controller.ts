import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InstallationAccessRequired, Operator } from '@gatehouse/auth';
import { ApiProblems } from '../http/problems/api-problems.js';
import { AlertListResponse } from './dto/alert.response.js';
import { HealthResponse } from './dto/health.response.js';
import { TestAlertRequest } from './dto/test-alert.request.js';
import { TestMailRequest } from './dto/test-mail.request.js';
import { AlertLogService } from './alert-log.service.js';
import { HealthService } from './health.service.js';
import { TestMailsService } from './test-mails.service.js';

@ApiTags('Operators')
@Controller('operator/v1/health')
@InstallationAccessRequired()
export class HealthOperatorController {
  constructor(
    private readonly health: HealthService,
    private readonly testMails: TestMailsService,
    private readonly alertLog: AlertLogService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'system.getHealth',
    summary: 'Get system health',
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
      'Queues the email for a worker. The number of pending emails indicates whether it has been sent.',
  })
  @HttpCode(202)
  @Operator('admin')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('conflict')
  async sendTestMail(@Body() { to }: TestMailRequest): Promise<Record<string, never>> {
    await this.testMails.send(to);
    return {};
  }

  @Get('alerts')
  @ApiOperation({
    operationId: 'system.listAlerts',
    summary: 'List alerts',
    description: 'Returns the newest 50 alerts, newest first, each with the outcome of its last attempt.',
  })
  @Operator('viewer')
  @ApiOkResponse({ type: AlertListResponse })
  async listAlerts(): Promise<AlertListResponse> {
    return AlertListResponse.from(await this.alertLog.list());
  }

  @Post('test-alert')
  @ApiOperation({
    operationId: 'system.sendTestAlert',
    summary: 'Send a test alert',
    description: 'Queues the alert for a worker. The list of alerts contains its outcome.',
  })
  @HttpCode(202)
  @Operator('admin')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  async sendTestAlert(@Body() { channel }: TestAlertRequest): Promise<Record<string, never>> {
    await this.alertLog.sendTest(channel);
    return {};
  }
}
