import { GatehouseError } from '../errors/gatehouse-error.js';
import type { ProjectContext } from './project.js';

/** @throws GatehouseError `method_not_enabled` if customers of the project cannot sign in in this way */
export function assertMethodEnabled(
  { settings }: Pick<ProjectContext, 'settings'>,
  method: 'password' | 'emailCode',
): void {
  if (!settings.signIn[method]) throw new GatehouseError('method_not_enabled');
}
