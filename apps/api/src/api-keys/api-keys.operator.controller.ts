import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { ApiKeysController } from './api-keys.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/projects/:projectId/api-keys')
@OperatorRoutes()
export class ApiKeysOperatorController extends PickRoutes(ApiKeysController, [
  'create',
  'list',
  'get',
  'revoke',
  'rotate',
]) {}
