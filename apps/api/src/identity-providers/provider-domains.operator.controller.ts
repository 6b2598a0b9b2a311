import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorRoutes } from '@gatehouse/auth';
import { PickRoutes } from '../http/pick-routes.js';
import { ProviderDomainsController } from './provider-domains.controller.js';

@ApiTags('Operators')
@Controller('operator/v1/projects/:projectId/identity-providers/:providerId/domains')
@OperatorRoutes()
export class ProviderDomainsOperatorController extends PickRoutes(ProviderDomainsController, ['verify']) {}
