import { OrganizationEntity } from './organizations/organization.entity.js';
import { WebhookEndpointEntity } from './webhooks/webhook-endpoint.entity.js';

export const entities = [OrganizationEntity, WebhookEndpointEntity];
