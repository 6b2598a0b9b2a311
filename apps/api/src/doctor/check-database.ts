import { parseValidUrl } from '@gatehouse/domain';
import {
  assertRootSecret,
  AuditLogRepository,
  Database,
  DatabaseServerRepository,
  describeClockSkew,
  findWritableHosts,
  listPendingMigrations,
  CLOCK_SKEW_LIMIT_MS,
  measureClockSkew,
  readMigrationRights,
  SigningKeysRepository,
  type DatabaseServer,
} from '@gatehouse/persistence';
import {
  adminCommand,
  Keyring,
  RootSecretError,
  splitHosts,
  type Config,
  type Logger,
} from '@gatehouse/platform';
import { failed, ok, skipped, warning, type CheckResult } from './check-result.js';
import { checkActivity } from './check-activity.js';
import { checkHostNames } from './check-host-names.js';
import { checkStoredValues } from './check-stored-values.js';
import { connectionProblem, retryTimeouts } from './connection-problem.js';

/** The lowest supported PostgreSQL version. */
const MIN_VERSION = 15;

/** Clock difference from PostgreSQL, in ms, that is reported as an error. A smaller difference is a warning. */
const CLOCK_ERROR_MS = 10_000;

/** The checks that are skipped without a database connection. */
const dependentChecks = [
  ...['migrations', 'root secret', 'passwords', 'encrypted values', 'host names', 'worker', 'webhooks'],
  'emails',
];

/** Returns a URL's hosts, without the user and the password. */
const describeHosts = (url: string): string =>
  splitHosts(url)
    .map((each) => parseValidUrl(each).host || 'the local socket')
    .join(', ');

/** Checks PostgreSQL and the stored data. Changes nothing. */
export async function checkDatabase(config: Config, logger: Logger): Promise<CheckResult[]> {
  try {
    return await retryTimeouts(() => connectAndCheck(config, logger));
  } catch (error) {
    const address = describeHosts(config.database.url!);
    return [
      connectionProblem(
        { check: 'database', product: 'PostgreSQL', setting: 'DATABASE_URL', address },
        error,
      ),
      ...dependentChecks.map((check) => skipped(check, 'requires the database')),
    ];
  }
}

async function connectAndCheck(config: Config, logger: Logger): Promise<CheckResult[]> {
  const database = new Database(config, logger);
  try {
    await database.dataSource.initialize();
    return await checkConnected(database, config, logger);
  } finally {
    await database.close();
  }
}

async function checkConnected(database: Database, config: Config, logger: Logger): Promise<CheckResult[]> {
  const server = await new DatabaseServerRepository(database).read();
  // Later statements may fail on an unsupported version.
  if (server.versionNumber < MIN_VERSION * 10_000) return serverResults(server, config);
  const results = [
    ...serverResults(server, config),
    ...settingResults(await database.findSettingProblems(), config),
    clockResult(await measureClockSkew(database)),
    ...(await checkHosts(config)),
    ...(await checkOwner(database, config)),
    ...(await checkReplica(database, config)),
  ];
  const keyring = new Keyring(config.rootSecrets);
  const pending = await listPendingMigrations(database);
  if (pending.length > 0)
    return [
      ...results,
      pendingResult(pending.length, config),
      skipped('root secret', 'requires the migrations'),
    ];
  return [
    ...results,
    ok('migrations', 'all migrations have run'),
    ...(await checkAuditLog(database, logger)),
    await checkRootSecret(database, keyring),
    ...(await checkStoredValues(database, keyring)),
    ...(await checkHostNames(database)),
    ...(await checkActivity(database, config)),
  ];
}

function serverResults(server: DatabaseServer, config: Config): CheckResult[] {
  const address = describeHosts(config.database.url!);
  const results: CheckResult[] = [];
  if (server.versionNumber < MIN_VERSION * 10_000)
    results.push(
      failed(
        'database',
        `PostgreSQL ${server.version} at ${address} is too old`,
        `Upgrade it to version ${MIN_VERSION} or later.`,
      ),
    );
  if (server.isReadOnly)
    results.push(
      failed(
        'database',
        `PostgreSQL at ${address} does not accept writes`,
        'Use the primary in DATABASE_URL, or turn off default_transaction_read_only.',
      ),
    );
  if (server.isSuperuser)
    results.push(
      warning(
        'database',
        `The role ${server.role} is a superuser`,
        'Use a role without superuser rights: docs/operations/database-roles.md, "Separate the database roles".',
      ),
    );
  if (server.unsafeSettings.length > 0)
    results.push(
      (config.production ? failed : warning)(
        'database',
        `A crash of the database server can lose or damage data: ${server.unsafeSettings.join(', ')} off`,
        'Turn on these PostgreSQL settings.',
      ),
    );
  return results.length > 0 ? results : [ok('database', `PostgreSQL ${server.version} at ${address}`)];
}

/** @param problems session settings that make statements return wrong results */
const settingResults = (problems: string[], { database: { pooler } }: Config): CheckResult[] =>
  problems.map((problem) =>
    failed(
      'database settings',
      `A session does not have the setting that Gatehouse requires: ${problem}`,
      pooler === 'none'
        ? 'Remove the setting of the database or the role with ALTER DATABASE … RESET or ALTER ROLE … RESET.'
        : 'Start an API process, which stores the setting for the role. Then close the connections of the pooler, for example with RECONNECT in PgBouncer.',
    ),
  );

/** @param skewMs time by which this machine's clock is ahead of PostgreSQL's clock, in ms */
function clockResult(skewMs: number): CheckResult {
  if (Math.abs(skewMs) < CLOCK_SKEW_LIMIT_MS)
    return ok('clock', 'agrees with the clock of the database server');
  return (Math.abs(skewMs) < CLOCK_ERROR_MS ? warning : failed)(
    'clock',
    `The clock of this machine is ${describeClockSkew(skewMs)}, compared with the clock of the database server`,
    'Synchronize both clocks with NTP.',
  );
}

/** Checks that a former primary does not accept writes alongside the current primary. */
async function checkHosts({ database: { url, pooler } }: Config): Promise<CheckResult[]> {
  if (pooler !== 'none' || splitHosts(url!).length === 1) return [];
  const hosts = await findWritableHosts(url!);
  if (hosts.length <= 1) return [];
  return [
    failed(
      'database hosts',
      `More than one host in DATABASE_URL accepts writes: ${hosts.join(', ')}`,
      'Stop PostgreSQL on the former primary at once: docs/operations/failover.md, "Fence the former primary".',
    ),
  ];
}

/** Checks the role that runs migrations, if it is a separate role. */
async function checkOwner(database: Database, { database: { migrateUrl } }: Config): Promise<CheckResult[]> {
  if (migrateUrl === null) return [];
  try {
    const { role, canMigrate } = await retryTimeouts(() => readMigrationRights(database));
    if (canMigrate) return [];
    return [
      failed(
        'database owner',
        `The role ${role} of MIGRATE_DATABASE_URL does not own the tables`,
        'Set MIGRATE_DATABASE_URL to the URL of their owner.',
      ),
    ];
  } catch (error) {
    const server = {
      product: 'PostgreSQL',
      setting: 'MIGRATE_DATABASE_URL',
      address: describeHosts(migrateUrl),
    };
    return [connectionProblem({ check: 'database owner', ...server }, error)];
  }
}

/** Checks the connection to the replica, if there is one. */
async function checkReplica({ replica }: Database, { database }: Config): Promise<CheckResult[]> {
  if (replica === null) return [];
  try {
    await retryTimeouts(() => replica.source.initialize());
    return [];
  } catch (error) {
    const server = {
      product: 'PostgreSQL',
      setting: 'DATABASE_READ_URL',
      address: describeHosts(database.readUrl!),
    };
    return [connectionProblem({ check: 'replica', ...server }, error)];
  }
}

function pendingResult(count: number, { migrate }: Config): CheckResult {
  const message = `${count} migrations are pending`;
  return migrate
    ? warning('migrations', message, `Start an API process, or run ${adminCommand('migrate')}.`)
    : failed('migrations', `${message}, and MIGRATE is off`, `Run ${adminCommand('migrate')}.`);
}

async function checkAuditLog(database: Database, logger: Logger): Promise<CheckResult[]> {
  if (await new AuditLogRepository(database, logger).isProtected()) return [];
  return [
    warning(
      'audit log',
      'The role of DATABASE_URL can change and delete audit log entries',
      'Set MIGRATE_DATABASE_URL and use another role: docs/operations/database-roles.md, "Separate the database roles".',
    ),
  ];
}

/** Checks that GATEHOUSE_SECRET decrypts the signing keys, as the API does on startup. */
async function checkRootSecret(database: Database, keyring: Keyring): Promise<CheckResult> {
  try {
    await assertRootSecret(new SigningKeysRepository(database), keyring);
    return ok('root secret', 'decrypts the stored signing keys');
  } catch (error) {
    if (!(error instanceof RootSecretError)) throw error;
    return failed(
      'root secret',
      'GATEHOUSE_SECRET cannot decrypt the signing keys of this database',
      `Set the secret with which the database was created, or append it to the list. It is in your backup. If it is lost: docs/operations/lost-secret.md, "Replace a lost root secret".`,
    );
  }
}
