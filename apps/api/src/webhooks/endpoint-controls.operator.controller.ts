import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '#auth';
import { EndpointControlsController } from './endpoint-controls.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/endpoints')
@OperatorRoutes()
export class EndpointControlsOperatorController extends EndpointControlsController {}
