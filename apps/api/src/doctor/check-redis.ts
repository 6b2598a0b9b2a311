import { parseValidUrl } from '@gatehouse/domain';
import {
  errorMessage,
  inspectRedis,
  redisProblems,
  splitHosts,
  type Config,
  type Logger,
} from '@gatehouse/platform';
import { failed, ok, skipped, warning, type CheckResult } from './check-result.js';
import { connectionProblem, retryTimeouts } from './connection-problem.js';

/** The lowest version that BullMQ recommends. */
const MIN_VERSION = '6.2.0';

const isOlder = (version: string, minimum: string): boolean =>
  version.localeCompare(minimum, 'en', { numeric: true }) < 0;

/** Checks Redis, if it is configured. */
export async function checkRedis({ redis }: Config, logger: Logger): Promise<CheckResult[]> {
  if (redis === null)
    return [skipped('redis', 'not configured: the worker claims deliveries from PostgreSQL')];
  const address = splitHosts(redis.sentinels ?? redis.url)
    .map((url) => parseValidUrl(url).host)
    .join(', ');
  try {
    const { problem, error, version, evictionPolicy } = await retryTimeouts(() =>
      inspectRedis(redis, logger),
    );
    if (problem !== null)
      return [
        failed(
          'redis',
          `${redisProblems[problem]} at ${address}: ${errorMessage(error)}`,
          'Set REDIS_URL to a primary that accepts writes and has enough memory. Until then, PostgreSQL is used.',
        ),
      ];
    const results = versionResults(version, evictionPolicy);
    return results.length > 0
      ? results
      : [ok('redis', `${version ? `Redis ${version}` : 'Redis'} at ${address}`)];
  } catch (error) {
    return [connectionProblem({ check: 'redis', product: 'Redis', setting: 'REDIS_URL', address }, error)];
  }
}

function versionResults(version: string | null, evictionPolicy: string | null): CheckResult[] {
  const results: CheckResult[] = [];
  if (version !== null && isOlder(version, MIN_VERSION))
    results.push(
      warning(
        'redis',
        `Redis ${version} is older than ${MIN_VERSION}`,
        `Upgrade Redis to ${MIN_VERSION} or later.`,
      ),
    );
  if (evictionPolicy !== null && evictionPolicy !== 'noeviction')
    results.push(
      warning(
        'redis',
        `Redis can remove delivery jobs and rate limits when its memory is full (maxmemory-policy ${evictionPolicy})`,
        'Set maxmemory-policy to noeviction.',
      ),
    );
  return results;
}
