import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { IdentityProvidersController } from './identity-providers.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/projects/:projectId/identity-providers')
@OperatorRoutes()
export class IdentityProvidersOperatorController extends PickRoutes(IdentityProvidersController, [
  'list',
  'create',
  'get',
  'update',
  'delete',
  'test',
]) {}
