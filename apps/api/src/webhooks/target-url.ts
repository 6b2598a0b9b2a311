import { invalidField, normalizeUrl, targetUrlProblem, type TargetPolicy } from '@gatehouse/domain';
import type { Config } from '@gatehouse/platform';

/** Returns the rules for URLs that receive webhooks. */
export const webhookTargetPolicy = ({ production, webhooks }: Config): TargetPolicy => ({
  production,
  allowedCidrs: webhooks.allowedCidrs,
});

/**
 * Returns `url` in the form in which it is stored and called.
 * @throws GatehouseError `validation_failed`
 */
export function parseTargetUrl(url: string, policy: TargetPolicy): string {
  const problem = targetUrlProblem(url, policy);
  if (problem) throw invalidField('url', 'invalid_target', `url ${problem}`);
  return normalizeUrl(url);
}
