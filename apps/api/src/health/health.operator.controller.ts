import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Operator } from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { HouseHealthResponse } from './dto/house-health.response.js';
import { TestMailRequest } from './dto/test-mail.request.js';
import { HouseHealth } from './house-health.service.js';
import { TestMails } from './test-mails.service.js';

@ApiTags('Operators')
@Controller('operator/v1/health')
export class HealthOperatorController {
  constructor(
    private readonly health: HouseHealth,
    private readonly testMails: TestMails,
  ) {}

  /** Versions, what waits to be delivered or mailed, and which workers are there. */
  @Get()
  @Operator('viewer')
  @ApiOkResponse({ type: HouseHealthResponse })
  read(): Promise<HouseHealthResponse> {
    return this.health.read();
  }

  /** Sends a mail that says that mails arrive. A worker sends it: whether it could, the mails that wait tell. */
  @Post('test-mail')
  @HttpCode(202)
  @Operator('admin')
  @ApiAcceptedResponse({ schema: { type: 'object' } })
  @ApiProblems('conflict')
  async test(@Body() { to }: TestMailRequest): Promise<Record<string, never>> {
    await this.testMails.send(to);
    return {};
  }
}
