import { ConfigError } from './config-error.js';
import { loadConfig } from './config.js';

/** Returns the problems that a configuration would have in production. */
export function listProductionProblems(
  environment: Record<string, string | undefined> = process.env,
): string[] {
  try {
    loadConfig({ ...environment, NODE_ENV: 'production' });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
