import { OperatorEntity } from './operators/operator.entity.js';
import { OrganizationEntity } from './organizations/organization.entity.js';
import { WebhookEndpointEntity } from './webhooks/webhook-endpoint.entity.js';

export const entities = [OrganizationEntity, OperatorEntity, WebhookEndpointEntity];
