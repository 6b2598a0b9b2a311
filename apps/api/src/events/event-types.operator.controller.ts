import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { EventTypesController } from './event-types.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/webhooks/event-types')
@OperatorRoutes()
export class EventTypesOperatorController extends PickRoutes(EventTypesController, ['list']) {}
