import {
  addressLimits,
  defaultLimits,
  fixedLimits,
  limitSetting,
  type AddressLimit,
  type GatehouseError,
  type ProjectLimits,
} from '@gatehouse/domain';
import { limitReachedError, type WindowCount, type LimitPolicy } from '@gatehouse/platform';

/** A route's limit. It is either adjustable per project, or the same for all projects. */
export type RouteLimit =
  | AddressLimit
  | 'oauth-callback'
  | 'provider-test'
  | 'domain-check'
  | 'operator-login';

/** The project whose limits apply to a request. */
export interface LimitedProject {
  id: string;
  settings: { limits: ProjectLimits };
}

/**
 * A request without a credential. Its project is unknown until its token is read, so it is first counted per client IP
 * across projects. The service that reads the token then calls `assertWithinLimit` (docs/adr/0060).
 */
export interface CountedRequest extends WindowCount {
  name: AddressLimit;
  countForProject: (projectId: string) => Promise<WindowCount>;
  /** The client IP's count in the project, once the token has identified a project. */
  inProject?: Promise<WindowCount>;
}

/** Returns true if projects can change the limit. */
export const isAdjustable = (name: RouteLimit): name is AddressLimit => name in addressLimits;

/** Returns the limit per client IP: the project's quota, or the default if there is no project. */
export function addressPolicy(name: RouteLimit, project: LimitedProject | null): LimitPolicy {
  if (!isAdjustable(name)) {
    const { quota, window } = fixedLimits[name];
    return { name, quota, windowSeconds: window };
  }
  const { limits } = project?.settings ?? { limits: defaultLimits };
  return { name, quota: limits[limitSetting(name)], windowSeconds: addressLimits[name].window };
}

/** Counts a request once for the project that its token identifies. */
export const countInProject = (counted: CountedRequest, { id }: LimitedProject): Promise<WindowCount> =>
  (counted.inProject ??= counted.countForProject(id));

/**
 * Returns the 429 error for a request that does not identify a project and exceeds the default limit, otherwise null.
 */
export function defaultLimitError(counted: CountedRequest | undefined): GatehouseError | null {
  if (!counted || counted.inProject) return null;
  return limitError(addressPolicy(counted.name, null), counted);
}

/**
 * Applies a project's limit to a counted request.
 * @param project null if the token does not identify a project; the default limit then applies across projects
 * @throws GatehouseError `rate_limited`
 */
export async function assertWithinLimit(
  counted: CountedRequest | undefined,
  project: LimitedProject | null,
): Promise<void> {
  if (!counted) return;
  const error = project
    ? limitError(addressPolicy(counted.name, project), await countInProject(counted, project))
    : defaultLimitError(counted);
  if (error) throw error;
}

const limitError = (policy: LimitPolicy, { count, secondsLeft }: WindowCount): GatehouseError | null =>
  count > policy.quota ? limitReachedError('rate_limited', policy, secondsLeft) : null;
