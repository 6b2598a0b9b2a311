import { ApiKeyEntity } from './api-keys/api-key.entity.js';
import { OperatorEntity } from './operators/operator.entity.js';
import { OrganizationEntity } from './organizations/organization.entity.js';
import { ProjectEntity } from './projects/project.entity.js';
import { WebhookEndpointEntity } from './webhooks/webhook-endpoint.entity.js';

export const entities = [
  OrganizationEntity,
  ProjectEntity,
  ApiKeyEntity,
  OperatorEntity,
  WebhookEndpointEntity,
];
