import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { EndpointControlsController } from './endpoint-controls.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/endpoints')
@OperatorRoutes()
export class EndpointControlsOperatorController extends PickRoutes(EndpointControlsController, [
  'enable',
  'disable',
  'rotateSecret',
  'sendTestEvent',
  'getStats',
]) {}
