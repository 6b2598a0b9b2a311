/**
 * Condition that an endpoint was disabled because all attempts failed, identical to the index condition in
 * `webhook_endpoints_failing`.
 */
export const isDisabledAsFailing = `status = 'disabled' AND disabled_reason = 'failing'`;

/**
 * Condition on health `h` that all of an endpoint's attempts have failed for at least an hour. A single failure
 * without later attempts is not enough.
 */
export const isFailingForAnHour = `h.last_failure_at - h.failing_since >= interval '1 hour'`;

/** States to filter endpoints by. */
export type EndpointStatusFilter = 'enabled' | 'disabled' | 'failing' | 'disabled_failing';

/** Conditions on endpoint `w` for each state. `failing` endpoints are enabled. */
export const endpointStatusSql: Record<EndpointStatusFilter, string> = {
  enabled: `w.status = 'enabled'`,
  disabled: `w.status = 'disabled'`,
  failing: `w.status = 'enabled' AND EXISTS (
    SELECT FROM endpoint_health h WHERE h.endpoint_id = w.id AND ${isFailingForAnHour})`,
  disabled_failing: isDisabledAsFailing,
};
