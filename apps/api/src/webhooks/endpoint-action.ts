import { publicId, type AuditAction, type WebhookEndpoint } from '@gatehouse/domain';
import type { AuditedAction } from '../audit/audit.service.js';

/** Returns an action on an endpoint for the audit log. */
export const endpointAction = (
  action: Extract<AuditAction, `webhook_endpoint.${string}`>,
  { id, organizationId, projectId }: Pick<WebhookEndpoint, 'id' | 'organizationId' | 'projectId'>,
): AuditedAction => ({ action, organizationId, projectId, targetId: publicId('endpoint', id) });
