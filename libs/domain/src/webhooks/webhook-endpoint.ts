import { publicId } from '../values/ids.js';
import { hiddenHeaders } from './custom-headers.js';
import { normalizeUrl } from '../targets/target-policy.js';

export const endpointStatuses = ['enabled', 'disabled', 'deleted'] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

/**
 * The reasons why an endpoint is disabled: through the API or the console, or because all attempts had failed
 * for three days.
 */
export const endpointDisabledReasons = ['manual', 'failing'] as const;
export type EndpointDisabledReason = (typeof endpointDisabledReasons)[number];

/** A webhook endpoint as the API returns it: without its secrets and its header values. */
export interface WebhookEndpoint {
  id: string;
  organizationId: string;
  /** Null for an endpoint that receives events from all projects in its organization. */
  projectId: string | null;
  level: 'project' | 'organization';
  /** The URL's host if no name was chosen. */
  name: string;
  url: string;
  description: string | null;
  events: string[];
  status: EndpointStatus;
  disabledReason: EndpointDisabledReason | null;
  headerNames: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** Returns an endpoint as the API returns it to secret keys, and as events from the API and the worker contain it. */
export const endpointResource = (endpoint: WebhookEndpoint) => ({
  id: publicId('endpoint', endpoint.id),
  level: endpoint.level,
  project_id: endpoint.projectId,
  name: endpoint.name,
  url: normalizeUrl(endpoint.url),
  description: endpoint.description,
  events: endpoint.events,
  status: endpoint.status,
  disabled_reason: endpoint.disabledReason,
  headers: hiddenHeaders(endpoint.headerNames),
  created_at: endpoint.createdAt.toISOString(),
  updated_at: endpoint.updatedAt.toISOString(),
});
