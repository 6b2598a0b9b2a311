/**
 * Returns SQL for an endpoint's name, which defaults to the URL's host.
 * @param table alias for the endpoints table
 */
export const endpointNameSql = (table = 'w'): string =>
  `coalesce(${table}.name, lower(substring(${table}.url FROM '^[^:]+://([^/?#]+)')), ${table}.url)`;

/** Returns SQL for an endpoint's name by id, including deleted endpoints. @param id SQL for the id */
export const endpointNameByIdSql = (id: string): string =>
  `(SELECT ${endpointNameSql('named')} FROM webhook_endpoints named WHERE named.id = ${id})`;
