import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { CustomerFactorsController } from './customer-factors.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/customers/:customerId/factors')
@OperatorRoutes()
export class CustomerFactorsOperatorController extends PickRoutes(CustomerFactorsController, [
  'list',
  'remove',
]) {}
