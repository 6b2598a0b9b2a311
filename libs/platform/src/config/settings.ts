import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import * as setting from './setting.js';

const isCidr = (entry: string): string | null =>
  ipaddr.isValidCIDR(entry) ? null : 'must be a list of address ranges such as 10.0.0.0/8';

/** An IP address, or one with a port: `10.0.0.53`, `10.0.0.53:5353`, `2620:fe::fe`, `[2620:fe::fe]:5353`. */
function nameServerFault(entry: string): string | null {
  const withPort = /^(?:\[(.+)\]|([\d.]+)):([1-9]\d{0,4})$/.exec(entry);
  const address = withPort?.[1] ?? withPort?.[2] ?? entry;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  // Port 0 would end the process: Node's setServers asserts.
  return isAddress && Number(withPort?.[3] ?? 53) <= 65_535
    ? null
    : 'must be a list of IP addresses, with a port or without';
}

/** Every setting that Gatehouse reads from its environment, and nothing else does (contract, section 6). */
export const settings = {
  NODE_ENV: setting.text({
    doc: 'production is production; anything else is not.',
    fallback: 'development',
  }),
  HOST: setting.text({ doc: 'Address the API listens on.', fallback: '127.0.0.1' }),
  PORT: setting.integer({ doc: 'Port the API listens on.', fallback: 3000 }, 0, 65535),
  PUBLIC_URL: setting.baseUrl({
    doc: 'Base of every link and the issuer of access tokens; required in production.',
    fallback: null,
    // Somebody may put a password into it, and be told that it must not stand there.
    secret: true,
    shown: 'http://HOST:PORT',
  }),
  DATA_DIR: setting.text({
    doc: 'Files of the embedded mode: database, generated secret, credentials.json.',
    fallback: '.data',
  }),
  DATABASE_URL: setting.url(
    {
      doc: 'PostgreSQL 15 or later. Unset: npm start runs an embedded one under DATA_DIR.',
      fallback: null,
      secret: true,
    },
    ['postgres:', 'postgresql:'],
  ),
  DATABASE_POOL: setting.integer({ doc: 'Most database connections per process.', fallback: 10 }, 1, 500),
  REDIS_URL: setting.url(
    {
      doc: 'Redis carries delivery jobs and counts rate limits. Unset: the worker claims due deliveries from PostgreSQL itself.',
      fallback: null,
      secret: true,
    },
    ['redis:', 'rediss:'],
  ),
  GATEHOUSE_SECRET: setting.text({
    doc: 'Root secret of at least 32 bytes, or a comma-separated ring, newest first. Required in production, else generated into DATA_DIR.',
    fallback: null,
    secret: true,
  }),
  SIGNING_KEY_MAX_AGE: setting.duration(
    { doc: 'Age at which the key that signs access tokens gets a successor.', fallback: '90d' },
    86_400_000,
    3650 * 86_400_000,
  ),
  MIGRATE: setting.onOff({ doc: 'Bring the schema up to date at boot.', fallback: true }),
  SEED: setting.onOff({
    doc: 'On an empty database make the first organization, project, keys and operator. npm start switches it on for the embedded database.',
    fallback: false,
  }),
  OPERATOR_EMAIL: setting.email({
    doc: 'E-mail address of the first operator, an admin; made with OPERATOR_PASSWORD while there is none. Unset: the log shows a one-time link.',
    fallback: null,
  }),
  OPERATOR_PASSWORD: setting.text({
    doc: 'Password of the first operator, at least 12 characters; to be changed in the console and then removed here.',
    fallback: null,
    secret: true,
  }),
  SMTP_URL: setting.url(
    {
      doc: 'Mail server, such as smtp://user:password@host:587. Required in production. Unset: mails are kept and their links logged.',
      fallback: null,
      secret: true,
    },
    ['smtp:', 'smtps:'],
  ),
  MAIL_FROM: setting.sender({
    doc: 'Sender of every mail. Required in production.',
    fallback: null,
    shown: 'Gatehouse <no-reply@localhost>',
  }),
  WEBHOOK_RETRY_SCHEDULE: setting.durations(
    { doc: 'Delay before each of the five attempts, within 10 % either way.', fallback: '0s,15s,1m,5m,30m' },
    5,
  ),
  WEBHOOK_TIMEOUT: setting.duration(
    { doc: 'Wall-clock time a target has until its status line has arrived.', fallback: '10s' },
    10,
    60_000,
  ),
  WEBHOOK_CONCURRENCY: setting.integer(
    {
      doc: 'Most attempts in flight per worker; one endpoint may hold about a quarter, one project three quarters.',
      fallback: 256,
    },
    1,
    10_000,
  ),
  WEBHOOK_ALLOWED_CIDRS: setting.list(
    {
      doc: 'Address ranges open to webhooks besides the public internet, separated by commas.',
      fallback: [],
    },
    isCidr,
  ),
  WEBHOOK_DNS_SERVERS: setting.list(
    {
      doc: "Addresses of name servers for webhook targets, such as 10.0.0.53 or 10.0.0.53:5353, separated by commas. Unset: the system's. /etc/hosts is read first.",
      fallback: [],
    },
    nameServerFault,
  ),
  WEBHOOK_RETENTION: setting.duration(
    {
      doc: 'How long events, deliveries and their attempts are kept. A dead letter stays until somebody redelivers or discards it.',
      fallback: '30d',
    },
    86_400_000,
    3650 * 86_400_000,
  ),
  AUDIT_RETENTION: setting.duration(
    { doc: 'How long the audit log keeps an entry.', fallback: '365d' },
    86_400_000,
    3650 * 86_400_000,
  ),
  AUDIT_IP: setting.choice(
    {
      doc: 'Client addresses in the audit log, as they are written: full, masked to /24 (IPv6: /48), or off.',
      fallback: 'full',
    },
    ['full', 'masked', 'off'] as const,
  ),
  BCRYPT_COST: setting.integer(
    { doc: 'Cost of password hashes; at least 10 in production.', fallback: 10 },
    4,
    16,
  ),
  HASH_THREADS: setting.integer(
    {
      doc: 'Threads that hash passwords.',
      fallback: Math.max(1, availableParallelism()),
      shown: 'number of cores',
    },
    1,
    64,
  ),
  BREACH_LIST_URL: setting.baseUrl({
    doc: 'List of breached passwords, asked by k-anonymity for projects that switch breachCheck on.',
    fallback: 'https://api.pwnedpasswords.com',
  }),
  RATE_LIMITS: setting.onOff({
    doc: 'Limits per client address and per key. Failed logins are always limited. off is refused in production.',
    fallback: true,
  }),
  TRUSTED_PROXIES: setting.list(
    { doc: 'Address ranges whose X-Forwarded-For is believed, separated by commas.', fallback: [] },
    isCidr,
  ),
  STRIPE_SECRET_KEY: setting.pattern(
    {
      doc: 'Secret or restricted key of Stripe, whose customer portal is the billing portal. Unset: a built-in page; in production no billing portal.',
      fallback: null,
      secret: true,
    },
    // So that neither a publishable key nor one of our own is sent to Stripe.
    /^[sr]k_[a-z]+_[0-9A-Za-z_]+$/,
    'must be a secret or restricted key of Stripe, such as sk_live_… or rk_test_…',
  ),
  STRIPE_API_BASE: setting.origin({
    doc: 'Where Stripe is reached; https in production. Only a stand-in is anywhere else.',
    fallback: 'https://api.stripe.com',
  }),
  DOCS: setting.onOff({
    doc: 'Serve the reference of the API: /docs, /docs/errors, where every error leads, and /openapi.json.',
    fallback: true,
  }),
  CONSOLE: setting.onOff({
    doc: 'Serve the operator console at /console and its API at /operator/v1; off, neither is there.',
    fallback: true,
  }),
  METRICS_PORT: setting.integer(
    {
      doc: 'Port of HOST on which the process shows Prometheus its /metrics; npm start gives the webhook-worker the next one. Unset: nothing is measured.',
      fallback: 0,
      shown: '',
    },
    1,
    // The next one is a port too.
    65534,
  ),
  ALERT_WEBHOOK_URL: setting.targetUrl({
    doc: 'Where alerts are posted, such as an incoming webhook of Slack; https in production. npm run gatehouse -- alert-secret prints the secret that signs them.',
    fallback: null,
    // Whoever knows the address of an incoming webhook may post there.
    secret: true,
  }),
  ALERT_EMAIL: setting.sender({
    doc: 'Address to which alerts are mailed, over SMTP_URL.',
    fallback: null,
  }),
  LOG_LEVEL: setting.choice({ doc: 'Least level that is logged.', fallback: 'info' }, [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ] as const),
  FAILPOINTS: setting.list(
    { doc: 'Tests only, refused in production: places where the process kills itself.', fallback: [] },
    () => null,
  ),
  TEST_COMMANDS: setting.onOff({
    doc: 'Tests only, refused in production: take commands over the IPC channel, such as running a periodic job now.',
    fallback: false,
  }),
  PERIODIC_JOBS: setting.onOff({
    doc: 'Tests only, off is refused in production: run periodic jobs on their own schedule, not only on command.',
    fallback: true,
  }),
  TIME_SCALE: setting.integer(
    {
      doc: 'Tests only, refused in production: divides the time-out, lease and schedule of webhooks, the time after which a failing endpoint is disabled, and the pause between two loads of the signing keys.',
      fallback: 1,
    },
    1,
    1000,
  ),
};

export type Settings = typeof settings;
export type SettingName = keyof Settings;
export type SettingValues = {
  [Name in SettingName]: Settings[Name] extends setting.Setting<infer T> ? T : never;
};
