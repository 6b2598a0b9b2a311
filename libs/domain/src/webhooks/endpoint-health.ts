/** The health of an endpoint, derived from its attempts. */
export interface EndpointHealth {
  /** Time of the first failure after the last success. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
}

/** Returns the health that follows from one attempt. */
export const healthFromAttempt = (success: boolean, at: Date): EndpointHealth => ({
  failingSince: success ? null : at,
  lastSuccessAt: success ? at : null,
  lastFailureAt: success ? null : at,
});

/** Returns the health over two consecutive time intervals. */
export const mergeHealth = (before: EndpointHealth, after: EndpointHealth): EndpointHealth => ({
  failingSince: after.lastSuccessAt ? after.failingSince : (before.failingSince ?? after.failingSince),
  lastSuccessAt: after.lastSuccessAt ?? before.lastSuccessAt,
  lastFailureAt: after.lastFailureAt ?? before.lastFailureAt,
});
