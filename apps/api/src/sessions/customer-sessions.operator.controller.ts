import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { CustomerSessionsController } from './customer-sessions.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/customers/:customerId/sessions')
@OperatorRoutes()
export class CustomerSessionsOperatorController extends PickRoutes(CustomerSessionsController, [
  'list',
  'revokeAll',
  'revoke',
]) {}
