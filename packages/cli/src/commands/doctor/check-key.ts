import { GatehouseError, type components, type Gatehouse } from '@gatehouse/server';
import type { Cli } from '../../cli.js';
import { failed, formatDaysFromToday, ok, skipped, warning, type CheckResult } from './check-result.js';

export type Project = components['schemas']['ListedProjectResponse'];

const DAY_MS = 86_400_000;
/** Keys that expire in fewer days than this are reported. */
const EXPIRY_DAYS = 7;
/** Maximum number of projects that are searched for the key's record. */
const MAX_PROJECTS = 20;

/** Checks the secret key. @returns the result, and the projects that the key can access; null if the key cannot list them */
export async function checkKey(
  cli: Cli,
  client: Gatehouse,
): Promise<{ result: CheckResult; projects: Project[] | null }> {
  const check = 'key';
  try {
    const { data } = await client.projects
      .list({ limit: 200, archived: false }, { signal: cli.signal })
      .page();
    // A key with `project` access also lists other projects, but without their settings.
    const projects = data.filter(({ settings }) => settings !== null);
    return { result: await describeKey(cli, client, projects), projects };
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    return { result: describeError(check, error), projects: null };
  }
}

function describeError(check: string, { code, problem }: GatehouseError): CheckResult {
  if (code === 'invalid_api_key')
    return failed(
      check,
      `Gatehouse rejects the secret key: ${problem.detail}`,
      'Create a key in the console, under the API keys of the project, and set GATEHOUSE_SECRET_KEY.',
    );
  if (code === 'insufficient_scope') return ok(check, 'valid, without the scope project:read');
  if (code === 'rate_limited')
    return warning(
      check,
      'The key has reached its rate limit',
      'Send fewer requests, or increase its rateLimit.',
    );
  return skipped(check, `cannot be checked: ${problem.detail} (${code})`);
}

/** Describes a valid key, with its expiry if it has the scope to list keys. */
async function describeKey(cli: Cli, client: Gatehouse, projects: Project[]): Promise<CheckResult> {
  const { secretKey } = cli.settings();
  const count = `valid for ${projects.length === 1 ? 'one project' : `${projects.length} projects`}`;
  const key = await findKey(cli, client, secretKey, projects);
  if (key === null) return ok('key', count);
  const name = `"${key.name}" (${key.access} access)`;
  if (key.expiresAt === null) return ok('key', `${name}, ${count}`);
  const days = Math.floor((Date.parse(key.expiresAt) - Date.now()) / DAY_MS);
  if (days >= EXPIRY_DAYS) return ok('key', `${name}, ${count}, until ${key.expiresAt.slice(0, 10)}`);
  return warning(
    'key',
    `The key ${name} expires on ${key.expiresAt.slice(0, 10)}, ${formatDaysFromToday(days)}`,
    'Create a new key and use it: gatehouse keys create.',
  );
}

/** Returns the key's record, or null if the key lacks the scope to list keys or is not found. */
async function findKey(
  { signal }: Cli,
  client: Gatehouse,
  secretKey: string,
  projects: Project[],
): Promise<components['schemas']['ApiKeyResponse'] | null> {
  try {
    for (const { id } of projects.slice(0, MAX_PROJECTS)) {
      const { data } = await client.apiKeys.list(id, { limit: 200 }, { signal }).page();
      const found = data.find(
        ({ prefix, last4 }) => secretKey.startsWith(prefix) && secretKey.endsWith(last4),
      );
      if (found) return found;
    }
    return null;
  } catch (error) {
    if (error instanceof GatehouseError && error.status === 403) return null;
    throw error;
  }
}
