/** SQL for endpoints that were disabled because all attempts had failed, as in the index `webhook_endpoints_failing`. */
export const isDisabledAsFailing = `status = 'disabled' AND disabled_reason = 'failing'`;

/**
 * SQL for the health `h` if all of the endpoint's attempts have failed for an hour or longer. A failure that no attempt
 * has followed proves only a moment.
 */
export const isFailingForAnHour = `h.last_failure_at - h.failing_since >= interval '1 hour'`;

/** The states that an endpoint filter distinguishes. */
export type EndpointStatusFilter = 'enabled' | 'disabled' | 'failing' | 'disabled_failing';

/** SQL conditions for the endpoints `w` in each state. `failing` ones are enabled. */
export const endpointStatusSql: Record<EndpointStatusFilter, string> = {
  enabled: `w.status = 'enabled'`,
  disabled: `w.status = 'disabled'`,
  failing: `w.status = 'enabled' AND EXISTS (
    SELECT FROM endpoint_health h WHERE h.endpoint_id = w.id AND ${isFailingForAnHour})`,
  disabled_failing: isDisabledAsFailing,
};
