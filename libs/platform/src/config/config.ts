import { resolve } from 'node:path';
import { canonicalPassword, OPERATOR_PASSWORD_MIN_LENGTH, PASSWORD_MAX_LENGTH } from '@gatehouse/domain';
import { parseCidr } from './cidr.js';
import { ConfigError } from './config-error.js';
import { listConfigWarnings, type ConfigWarning } from './config-warnings.js';
import { defaultPasswordProblems } from './default-passwords.js';
import { defaultRequestMemory } from './default-request-memory.js';
import {
  operatorOidcConfig,
  operatorOidcProblems,
  type OperatorOidcConfig,
} from './operator-oidc-settings.js';
import {
  alertMailServer,
  mailConfig,
  mailServerProblems,
  type AlertMailServer,
  type MailConfig,
} from './mail-config.js';
import { readOrCreateRootSecret, rootSecretProblem } from './root-secret.js';
import { redisSettingProblems, redisTarget, type RedisTarget } from './redis-target.js';
import { readSecretFile } from './secret-file.js';
import { settings, type SettingName, type SettingValues } from './settings.js';
import { tracingConfig, type TracingConfig } from './tracing-config.js';
import { errorMessage } from '../runtime/errors.js';
import { HostsFile } from '../runtime/hosts-file.js';

/** A process's validated configuration, and its injection token. Durations are in ms. */
export abstract class Config {
  abstract readonly production: boolean;
  /** Every link's base URL, and the `iss` claim. Has no trailing slash. */
  abstract readonly publicUrl: string;
  /** Absolute path. */
  abstract readonly dataDir: string;
  /** Root secrets, newest first. */
  abstract readonly rootSecrets: string[];
  abstract readonly signingKeys: { maxAge: number; reloadInterval: number };
  abstract readonly migrate: boolean;
  abstract readonly seed: boolean;
  /** Null unless both OPERATOR_EMAIL and OPERATOR_PASSWORD are set. */
  abstract readonly firstOperator: { email: string; password: string } | null;
  /** Null if operators cannot sign in with an OpenID Provider. */
  abstract readonly operatorOidc: OperatorOidcConfig | null;
  abstract readonly logLevel: SettingValues['LOG_LEVEL'];
  /** `requestMemory` is the maximum memory for requests in progress, in bytes. */
  abstract readonly http: {
    host: string;
    port: number;
    trustedProxies: string[];
    rateLimits: boolean;
    requestMemory: number;
  };
  /**
   * `url` is null only until `npm start` has started the embedded server. `migrateUrl` is null if the role in `url`
   * also runs migrations. `readUrl` is null without a replica.
   */
  abstract readonly database: {
    url: string | null;
    migrateUrl: string | null;
    readUrl: string | null;
    pooler: SettingValues['DATABASE_POOLER'];
    pool: number;
  };
  /** Null without Redis. */
  abstract readonly redis: RedisTarget | null;
  abstract readonly mail: MailConfig;
  abstract readonly webhooks: {
    retrySchedule: number[];
    timeout: number;
    lease: number;
    sweepInterval: number;
    /**
     * `reportInterval`: interval at which a worker reports endpoint health. `checkInterval`: interval between checks
     * for failing endpoints. `disableAfter`: duration of failure after which an endpoint is disabled.
     */
    health: { reportInterval: number; checkInterval: number; disableAfter: number };
    /**
     * `interval`: interval at which a worker rolls up the attempt log. `settlingTime`: once an attempt id is this old, no
     * attempt with an older id can be added to the log.
     */
    rollups: { interval: number; settlingTime: number };
    concurrency: number;
    /** Outside production, also contains the address of the host that runs the container. */
    allowedCidrs: string[];
    dnsServers: string[];
    retention: number;
  };
  /** `port` is null if metrics have no separate port, and `token` if the API port does not serve them. */
  abstract readonly metrics: { port: number | null; token: string | null };
  /** Null when traces are off. */
  abstract readonly tracing: TracingConfig | null;
  /**
   * `overdueAfter`: time after which a due delivery counts as overdue. `noWorkerAfter`: time without a running worker
   * after which this is reported. `pause`, `reminder` and `retry`: see AlertIntervals. `mailServer` is null if none is
   * configured.
   */
  abstract readonly alerts: {
    webhookUrl: string | null;
    email: string | null;
    mailServer: AlertMailServer | null;
    interval: number;
    overdueAfter: number;
    noWorkerAfter: number;
    pause: number;
    reminder: number;
    retry: number;
  };
  abstract readonly audit: { retention: number; ipMode: SettingValues['AUDIT_IP'] };
  abstract readonly passwords: { cost: number; threads: number; queueWait: number; breachListUrl: string };
  /** `stripeKey` is null if Stripe is not configured. */
  abstract readonly billing: { stripeKey: string | null; stripeApiBase: string };
  /** True if the API reference is served. */
  abstract readonly docs: boolean;
  /** True if the operator console is served. */
  abstract readonly console: boolean;
  abstract readonly failpoints: string[];
  /** True if tests can send commands (TestCommands). */
  abstract readonly testCommands: boolean;
  /** True if periodic jobs run on their schedule. */
  abstract readonly periodicJobs: boolean;
  /** This configuration's weaknesses, for the log and the health page. */
  abstract readonly warnings: ConfigWarning[];
}

type Environment = Record<string, string | undefined>;
type SettingTexts = Record<SettingName, string | null | undefined>;

type Hosts = Pick<HostsFile, 'findAddresses'>;

/**
 * Reads and validates the configuration.
 * @throws ConfigError with all problems at once
 */
export function loadConfig(environment: Environment = process.env, hosts: Hosts = new HostsFile()): Config {
  const problems: string[] = [];
  const texts = readTexts(environment, problems);
  const values = parseSettings(texts, problems);
  if (values.NODE_ENV === 'production') problems.push(...productionProblems(values, texts));
  if (values.GATEHOUSE_SECRET) {
    const problem = rootSecretProblem(values.GATEHOUSE_SECRET);
    if (problem) problems.push(`GATEHOUSE_SECRET ${problem}`);
  }
  if (values.METRICS_PORT && values.METRICS_PORT === values.PORT) {
    problems.push('METRICS_PORT must differ from PORT');
  }
  for (const name of ['MIGRATE_DATABASE_URL', 'DATABASE_READ_URL'] as const) {
    if (values[name] && !values.DATABASE_URL) problems.push(`${name} requires DATABASE_URL`);
  }
  if (values.ALERT_EMAIL && !values.SMTP_URL && !values.ALERT_SMTP_URL)
    problems.push('ALERT_EMAIL requires SMTP_URL or ALERT_SMTP_URL');
  if (values.ALERT_SMTP_URL && !values.ALERT_EMAIL) problems.push('ALERT_SMTP_URL requires ALERT_EMAIL');
  problems.push(
    ...redisSettingProblems(values),
    ...firstOperatorProblems(values),
    ...operatorOidcProblems(values, values.NODE_ENV === 'production'),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...buildConfig(values, hosts), warnings: listConfigWarnings(values, environment) };
}

/**
 * Returns the settings as strings. A secret is read from its variable or from the file in `<name>_FILE`, and is null if
 * the file is unusable.
 */
function readTexts(environment: Environment, problems: string[]): SettingTexts {
  const entries = Object.entries(settings).map(([name, { secret }]) => {
    const text = environment[name]?.trim();
    const path = secret ? environment[`${name}_FILE`]?.trim() : undefined;
    if (!path) return [name, text];
    try {
      if (text) throw new Error(`must be unset if ${name} is set`);
      return [name, readSecretFile(path)];
    } catch (error) {
      problems.push(`${name}_FILE ${errorMessage(error)}`);
      return [name, null];
    }
  });
  return Object.fromEntries(entries) as SettingTexts;
}

function parseSettings(texts: SettingTexts, problems: string[]): SettingValues {
  const entries = Object.entries(settings).map(([name, setting]) => {
    const text = texts[name as SettingName];
    if (!text) return [name, setting.fallback];
    try {
      return [name, setting.parse(text)];
    } catch (error) {
      problems.push(
        `${name} ${errorMessage(error)}${setting.secret ? '' : ` (current value: ${JSON.stringify(text)})`}`,
      );
      return [name, setting.fallback];
    }
  });
  return Object.fromEntries(entries) as SettingValues;
}

/** Returns the problems that are errors only in production (requirements CF-01 to CF-03). */
function productionProblems(values: SettingValues, texts: SettingTexts): string[] {
  const required: SettingName[] = ['PUBLIC_URL', 'DATABASE_URL', 'GATEHOUSE_SECRET', 'SMTP_URL', 'MAIL_FROM'];
  const problems = required
    .filter((name) => texts[name] === undefined || texts[name] === '')
    .map((name) => `${name} is required in production`);
  if (values.PUBLIC_URL && !values.PUBLIC_URL.startsWith('https://')) {
    problems.push('PUBLIC_URL must start with https:// in production');
  }
  problems.push(...defaultPasswordProblems(values));
  problems.push(...mailServerProblems('SMTP_URL', values), ...mailServerProblems('ALERT_SMTP_URL', values));
  if (values.MAIL_FROM && /@localhost$/i.test(values.MAIL_FROM.address)) {
    problems.push('MAIL_FROM must not use localhost in production');
  }
  if (!values.STRIPE_API_BASE.startsWith('https://')) {
    problems.push('STRIPE_API_BASE must start with https:// in production');
  }
  if (values.ALERT_WEBHOOK_URL && !/^https:/i.test(values.ALERT_WEBHOOK_URL)) {
    problems.push('ALERT_WEBHOOK_URL must start with https:// in production');
  }
  problems.push(...values.WEBHOOK_ALLOWED_CIDRS.flatMap(wideRangeProblems));
  if (values.BCRYPT_COST < 10) problems.push('BCRYPT_COST must be at least 10 in production');
  if (!values.RATE_LIMITS) problems.push('RATE_LIMITS must be on in production');
  if (values.FAILPOINTS.length > 0) problems.push('FAILPOINTS must be unset in production');
  if (values.TEST_COMMANDS) problems.push('TEST_COMMANDS must be unset in production');
  if (!values.PERIODIC_JOBS) problems.push('PERIODIC_JOBS must be on in production');
  if (values.TIME_SCALE !== 1) problems.push('TIME_SCALE must be unset in production');
  return problems;
}

/** Returns a problem if a range is too wide for webhooks (requirement OP-06). */
function wideRangeProblems(range: string): string[] {
  const { version, bits } = parseCidr(range)!;
  const minBits = version === 4 ? 8 : 32;
  if (bits >= minBits) return [];
  return [`WEBHOOK_ALLOWED_CIDRS must not contain ${range}, which is wider than /${minBits}, in production`];
}

/**
 * Returns the problems with the settings for the first operator. Whether the password is too common is checked when the
 * operator is created.
 */
function firstOperatorProblems({
  OPERATOR_EMAIL: email,
  OPERATOR_PASSWORD: password,
}: SettingValues): string[] {
  if (email && !password) return ['OPERATOR_EMAIL requires OPERATOR_PASSWORD'];
  if (password && !email) return ['OPERATOR_PASSWORD requires OPERATOR_EMAIL'];
  const length = [...canonicalPassword(password ?? '')].length;
  const isLengthValid = length >= OPERATOR_PASSWORD_MIN_LENGTH && length <= PASSWORD_MAX_LENGTH;
  if (!password || isLengthValid) return [];
  return [`OPERATOR_PASSWORD must have ${OPERATOR_PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters`];
}

function buildConfig(values: SettingValues, hosts: Hosts): Omit<Config, 'warnings'> {
  const production = values.NODE_ENV === 'production';
  const scale = values.TIME_SCALE;
  const dataDir = resolve(values.DATA_DIR);
  const host = values.HOST.includes(':') ? `[${values.HOST}]` : values.HOST;
  return {
    production,
    publicUrl: (values.PUBLIC_URL ?? `http://${host}:${values.PORT}`).replace(/\/+$/, ''),
    dataDir,
    rootSecrets: (values.GATEHOUSE_SECRET ?? readOrCreateRootSecret(dataDir))
      .split(',')
      .map((secret) => secret.trim()),
    signingKeys: { maxAge: values.SIGNING_KEY_MAX_AGE, reloadInterval: 60_000 / scale },
    migrate: values.MIGRATE,
    seed: values.SEED,
    firstOperator:
      values.OPERATOR_EMAIL && values.OPERATOR_PASSWORD
        ? { email: values.OPERATOR_EMAIL, password: values.OPERATOR_PASSWORD }
        : null,
    operatorOidc: operatorOidcConfig(values),
    logLevel: values.LOG_LEVEL,
    http: {
      host: values.HOST,
      port: values.PORT,
      trustedProxies: values.TRUSTED_PROXIES,
      rateLimits: values.RATE_LIMITS,
      requestMemory: values.REQUEST_MEMORY ? values.REQUEST_MEMORY * 2 ** 20 : defaultRequestMemory(),
    },
    database: {
      url: values.DATABASE_URL,
      migrateUrl: values.MIGRATE_DATABASE_URL,
      readUrl: values.DATABASE_READ_URL,
      pooler: values.DATABASE_POOLER,
      pool: values.DATABASE_POOL,
    },
    redis: redisTarget(values),
    mail: mailConfig(values),
    webhooks: buildWebhooksConfig(values, hosts),
    metrics: { port: values.METRICS_PORT || null, token: values.METRICS_TOKEN },
    tracing: tracingConfig(values),
    alerts: buildAlertsConfig(values),
    audit: { retention: values.AUDIT_RETENTION, ipMode: values.AUDIT_IP },
    passwords: {
      cost: values.BCRYPT_COST,
      threads: values.HASH_THREADS,
      queueWait: values.HASH_QUEUE_WAIT,
      breachListUrl: values.BREACH_LIST_URL!.replace(/\/+$/, ''),
    },
    billing: { stripeKey: values.STRIPE_SECRET_KEY, stripeApiBase: values.STRIPE_API_BASE },
    docs: values.DOCS,
    console: values.CONSOLE,
    failpoints: values.FAILPOINTS,
    testCommands: values.TEST_COMMANDS,
    periodicJobs: values.PERIODIC_JOBS,
  };
}

function buildAlertsConfig(values: SettingValues): Config['alerts'] {
  const scale = values.TIME_SCALE;
  return {
    webhookUrl: values.ALERT_WEBHOOK_URL,
    email: values.ALERT_EMAIL?.address ?? null,
    mailServer: alertMailServer(values),
    interval: 10_000 / Math.min(scale, 100),
    overdueAfter: 30_000 / scale,
    noWorkerAfter: 60_000 / scale,
    pause: 900_000 / scale,
    reminder: 86_400_000 / scale,
    retry: 60_000 / Math.min(scale, 10),
  };
}

function buildWebhooksConfig(values: SettingValues, hosts: Hosts): Config['webhooks'] {
  const scale = values.TIME_SCALE;
  // In a container, loopback is the container itself. A receiver on the developer's machine has this host name.
  const hostMachine = values.NODE_ENV === 'production' ? [] : hosts.findAddresses('host.docker.internal');
  return {
    retrySchedule: values.WEBHOOK_RETRY_SCHEDULE.map((delay) => delay / scale),
    timeout: values.WEBHOOK_TIMEOUT / scale,
    lease: Math.max(30_000, 3 * values.WEBHOOK_TIMEOUT) / scale,
    sweepInterval: 1000 / Math.min(scale, 10),
    health: {
      reportInterval: 5_000 / Math.min(scale, 10),
      checkInterval: 60_000 / Math.min(scale, 100),
      disableAfter: (3 * 86_400_000) / scale,
    },
    // Must exceed the maximum age of an attempt id when it is claimed, 2 s (`claimPickedSql`), plus the maximum
    // statement duration, 5 s.
    rollups: { interval: 10_000 / Math.min(scale, 10), settlingTime: Math.max(8_000, 30_000 / scale) },
    concurrency: values.WEBHOOK_CONCURRENCY,
    allowedCidrs: [
      ...values.WEBHOOK_ALLOWED_CIDRS,
      ...hostMachine.map(({ address, family }) => `${address}/${family === 4 ? 32 : 128}`),
    ],
    dnsServers: values.WEBHOOK_DNS_SERVERS,
    retention: values.WEBHOOK_RETENTION,
  };
}
