import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import * as setting from './setting.js';

const isCidr = (entry: string): string | null =>
  ipaddr.isValidCIDR(entry) ? null : 'must be a list of address ranges such as 10.0.0.0/8';

const isAddress = (entry: string): string | null =>
  ipaddr.IPv4.isValidFourPartDecimal(entry) || ipaddr.IPv6.isValid(entry)
    ? null
    : 'must be a list of IP addresses';

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
    { doc: 'Most attempts in flight per worker.', fallback: 100 },
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
      doc: "Name servers for webhook targets, separated by commas. Unset: the system's resolver.",
      fallback: [],
    },
    isAddress,
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
  TIME_SCALE: setting.integer(
    {
      doc: 'Tests only, refused in production: divides the time-out, lease and schedule of webhooks and the pause between two loads of the signing keys.',
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
