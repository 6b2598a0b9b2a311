/** How attempts at an endpoint have gone. */
export interface EndpointHealth {
  /** The first failure after the last success. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
}

/** What one attempt says. */
export const healthFromAttempt = (success: boolean, at: Date): EndpointHealth => ({
  failingSince: success ? null : at,
  lastSuccessAt: success ? at : null,
  lastFailureAt: success ? null : at,
});

/** What two stretches of time say together, the first before the second. */
export const mergeHealth = (before: EndpointHealth, after: EndpointHealth): EndpointHealth => ({
  failingSince: after.lastSuccessAt ? after.failingSince : (before.failingSince ?? after.failingSince),
  lastSuccessAt: after.lastSuccessAt ?? before.lastSuccessAt,
  lastFailureAt: after.lastFailureAt ?? before.lastFailureAt,
});
