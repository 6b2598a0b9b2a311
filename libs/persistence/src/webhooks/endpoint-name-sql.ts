/**
 * Returns SQL for an endpoint's name: the chosen name, or its URL's host.
 * @param table alias for the endpoints
 */
export const endpointNameSql = (table = 'w'): string =>
  `coalesce(${table}.name, lower(substring(${table}.url FROM '^[^:]+://([^/?#]+)')), ${table}.url)`;

/** Returns SQL for an endpoint's name by id, also for a deleted endpoint. @param id SQL for the id */
export const endpointNameByIdSql = (id: string): string =>
  `(SELECT ${endpointNameSql('named')} FROM webhook_endpoints named WHERE named.id = ${id})`;
