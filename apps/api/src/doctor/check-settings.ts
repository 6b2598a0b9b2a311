import {
  ConfigError,
  configWarnings,
  listProductionProblems,
  loadConfig,
  type Config,
} from '@gatehouse/platform';
import { failed, ok, warning, type CheckResult } from './check-result.js';

/** Environment variables of a process. */
export type Environment = Record<string, string | undefined>;

/** Returns the fix for a configuration problem. A problem begins with the name of its setting. */
function settingFix(problem: string): string {
  const [name] = problem.split(' ');
  const verb = problem.includes(' is required') ? 'Set' : 'Correct';
  return `${verb} ${name}, and restart all processes. docs/settings.md describes it.`;
}

/**
 * Checks settings, by default those of this process. Without a valid configuration, nothing else can be
 * checked.
 */
export function checkSettings(environment?: Environment): {
  config: Config | null;
  results: CheckResult[];
} {
  try {
    const config = loadConfig(environment);
    if (!config.database.url) throw new ConfigError(['DATABASE_URL is required']);
    const results = config.production ? productionResults(config) : developmentResults(environment);
    return { config, results };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      config: null,
      results: error.problems.map((problem) => failed('settings', problem, settingFix(problem))),
    };
  }
}

function developmentResults(environment?: Environment): CheckResult[] {
  const problems = listProductionProblems(environment);
  return [
    warning(
      'settings',
      `NODE_ENV is not production${problems.length > 0 ? `; production would reject ${problems.length} settings` : ''}`,
      'Set NODE_ENV=production, unless this is an installation for development.',
    ),
    ...problems.map((problem) => warning('settings', problem, settingFix(problem))),
  ];
}

function productionResults(config: Config): CheckResult[] {
  const results = config.warnings.map((name) => {
    const [cause, fix] = configWarnings[name].split('; ') as [string, string];
    return warning('settings', cause, `${fix}.`);
  });
  if (config.http.trustedProxies.length === 0)
    results.push(
      warning(
        'settings',
        'TRUSTED_PROXIES is not set: all customers behind a proxy appear to have its IP address and share its rate limits',
        'Set TRUSTED_PROXIES to the address ranges of your proxies.',
      ),
    );
  if (config.webhooks.allowedCidrs.length > 0)
    results.push(
      warning(
        'settings',
        `Webhooks can be sent to addresses in ${config.webhooks.allowedCidrs.join(', ')}`,
        'Remove the ranges that contain no webhook endpoint from WEBHOOK_ALLOWED_CIDRS.',
      ),
    );
  return results.length > 0 ? results : [ok('settings', 'suitable for production')];
}
