import { publicId } from '../values/ids.js';
import { hiddenHeaders } from './custom-headers.js';
import { normalizeUrl } from '../targets/target-policy.js';

export const endpointStatuses = ['enabled', 'disabled', 'deleted'] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

/**
 * The reasons why an endpoint is disabled. `manual`: through the API or the console. `failing`: all attempts failed for
 * three days.
 */
export const endpointDisabledReasons = ['manual', 'failing'] as const;
export type EndpointDisabledReason = (typeof endpointDisabledReasons)[number];

/** A webhook endpoint without its secrets and header values. */
export interface WebhookEndpoint {
  id: string;
  organizationId: string;
  /** Null for an endpoint that receives the events of all projects in its organization. */
  projectId: string | null;
  level: 'project' | 'organization';
  /** Default: the URL's host. */
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

/** Returns an endpoint as it appears in events and in responses to requests with a secret key. */
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
