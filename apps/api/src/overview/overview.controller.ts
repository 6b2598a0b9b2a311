import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Operator } from '#auth';
import { OverviewQuery } from './dto/overview.request.js';
import { OverviewResponse } from './dto/overview.response.js';
import { OverviewService } from './overview.service.js';

@ApiTags('Operators')
@Controller('operator/v1/overview')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  /**
   * How attempts went, in the whole house or of one project's events, and what waits. Exact, but for the percentiles,
   * which are exact to a bin of durations.
   */
  @Get()
  @Operator('viewer')
  @ApiOkResponse({ type: OverviewResponse })
  async read(@Query() query: OverviewQuery): Promise<OverviewResponse> {
    return OverviewResponse.from(await this.overview.read(query));
  }
}
