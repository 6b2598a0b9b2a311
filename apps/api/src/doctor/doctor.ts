import { createLogger, type Config } from '@gatehouse/platform';
import { checkDatabase } from './check-database.js';
import { checkMailServers } from './check-mail-server.js';
import { checkRedis } from './check-redis.js';
import { skipped, type CheckResult } from './check-result.js';
import { checkRuntime } from './check-runtime.js';
import { checkSettings, type Environment } from './check-settings.js';
import { isWorking, toJson, toText } from './report.js';

/**
 * Checks the settings and the servers that they refer to. Changes nothing and sends no email.
 * @param environment default: this process's environment
 */
export async function runChecks(environment?: Environment): Promise<CheckResult[]> {
  const { config, results } = checkSettings(environment);
  if (config === null)
    return [
      checkRuntime(),
      ...results,
      ...['database', 'redis', 'mail server'].map((check) => skipped(check, 'requires valid settings')),
    ];
  return [checkRuntime(), ...results, ...(await checkServers(config))];
}

async function checkServers(config: Config): Promise<CheckResult[]> {
  // Silent, because the report contains the connection errors.
  const logger = createLogger({ logLevel: 'silent' }, 'gatehouse');
  const [database, redis, mailServers] = await Promise.all([
    checkDatabase(config, logger),
    checkRedis(config, logger),
    checkMailServers(config),
  ]);
  return [...database, ...redis, ...mailServers];
}

/** Checks this installation. Returns the report and the exit code, which is 1 if a check failed. */
export async function runDoctor(format: 'json' | 'text'): Promise<{ report: string; exitCode: number }> {
  const results = await runChecks();
  return {
    report: format === 'json' ? toJson(results) : toText(results),
    exitCode: isWorking(results) ? 0 : 1,
  };
}
