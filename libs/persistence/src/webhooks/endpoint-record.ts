import type { EndpointDisabledReason, EndpointStatus, WebhookEndpoint } from '@gatehouse/domain';
import { arrayOf, nullable, text, textOf, timestamptz, uuid } from '../sql/statements.js';
import { endpointNameSql } from './endpoint-name-sql.js';

/** Row map for `endpointColumns`. */
export const endpointRow = {
  id: uuid,
  organizationId: uuid,
  projectId: nullable(uuid),
  level: textOf<WebhookEndpoint['level']>(),
  name: text,
  url: text,
  description: nullable(text),
  events: arrayOf(text),
  status: textOf<EndpointStatus>(),
  disabledReason: nullable(textOf<EndpointDisabledReason>()),
  headerNames: arrayOf(text),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};

/** Columns of the endpoint with the alias `w`. */
export const endpointColumns = `
  w.id, w.organization_id AS "organizationId", w.project_id AS "projectId", w.level,
  ${endpointNameSql()} AS name, w.url, w.description, w.events, w.status, w.disabled_reason AS "disabledReason", w.header_names AS "headerNames", w.created_at AS "createdAt",
  w.updated_at AS "updatedAt"`;
