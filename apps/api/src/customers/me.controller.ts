import { Controller, Get } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AccessToken, CurrentCaller, type CustomerCaller } from '#auth';
import { ApiProblems } from '../http/api-problems.js';
import { MeResponse } from './dto/customer.response.js';

@ApiTags('Customer')
@Controller('api/v1/me')
export class MeController {
  /** The customer whom the access token belongs to. */
  @Get()
  @AccessToken()
  @ApiBearerAuth('accessToken')
  @ApiOkResponse({ type: MeResponse })
  @ApiProblems('invalid_access_token', 'wrong_credential_type', 'origin_not_allowed')
  show(@CurrentCaller() caller: CustomerCaller): MeResponse {
    return MeResponse.from(caller.customer);
  }
}
