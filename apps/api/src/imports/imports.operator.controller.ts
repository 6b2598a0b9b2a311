import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { ImportsController } from './imports.controller.js';

@ApiTags('Operators')
@Controller('operator/v1')
@OperatorRoutes()
export class ImportsOperatorController extends PickRoutes(ImportsController, ['import', 'get']) {}
