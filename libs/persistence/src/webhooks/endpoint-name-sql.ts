/**
 * Returns SQL for the name of an endpoint: the one that was chosen, or the host of its URL.
 * @param table alias of the endpoints
 */
export const endpointNameSql = (table = 'w'): string =>
  `coalesce(${table}.name, lower(substring(${table}.url FROM '^[^:]+://([^/?#]+)')), ${table}.url)`;

/** Returns SQL for the name of the endpoint with an id, which may be deleted. @param id SQL of the id */
export const endpointNameByIdSql = (id: string): string =>
  `(SELECT ${endpointNameSql('named')} FROM webhook_endpoints named WHERE named.id = ${id})`;
