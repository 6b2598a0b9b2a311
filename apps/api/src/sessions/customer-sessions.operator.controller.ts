import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '#auth';
import { CustomerSessionsController } from './customer-sessions.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/customers/:customerId/sessions')
@OperatorRoutes()
export class CustomerSessionsOperatorController extends CustomerSessionsController {}
