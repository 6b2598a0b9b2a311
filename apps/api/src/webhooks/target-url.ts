import { invalidField, targetUrlProblem, type TargetPolicy } from '@gatehouse/domain';
import type { Config } from '@gatehouse/platform';

/** Returns the rules for URLs that receive webhooks. */
export const webhookTargetPolicy = ({ production, webhooks }: Config): TargetPolicy => ({
  production,
  allowedCidrs: webhooks.allowedCidrs,
});

/** Checks the field `url`. @throws GatehouseError `validation_failed` */
export function assertTargetUrl(url: string, policy: TargetPolicy): void {
  const problem = targetUrlProblem(url, policy);
  if (problem) throw invalidField('url', 'invalid_target', `url ${problem}`);
}
