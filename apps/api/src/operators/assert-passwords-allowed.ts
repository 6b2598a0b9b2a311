import { GatehouseError } from '@gatehouse/domain';
import type { Config } from '@gatehouse/platform';

/**
 * Checks that operators may use passwords, and not only single sign-on (ADR 0073).
 * @throws GatehouseError `single_sign_on_required`
 */
export function assertPasswordsAllowed({ operatorOidc }: Pick<Config, 'operatorOidc'>): void {
  if (operatorOidc?.isRequired) throw new GatehouseError('single_sign_on_required');
}
