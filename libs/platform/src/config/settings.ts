import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import { parseCidr } from './cidr.js';
import { databaseSettings } from './database-settings.js';
import { DEFAULT_START_TIMEOUT } from './duration.js';
import { operatorOidcSettings } from './operator-oidc-settings.js';
import * as setting from './setting.js';
import { tracingSettings } from './tracing-settings.js';

const cidrProblem = (entry: string): string | null =>
  parseCidr(entry) ? null : 'must be a list of address ranges such as 10.0.0.0/8';

/**
 * Returns the problem with an entry, or null. A range of all addresses would allow every client to choose the IP
 * address for its rate limits.
 */
function proxyRangeProblem(entry: string): string | null {
  const range = parseCidr(entry);
  if (!range) return cidrProblem(entry);
  // Express also matches IPv4 addresses against a range of mapped addresses.
  const [address] = ipaddr.parseCIDR(entry);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  if (range.bits > (isMapped ? 96 : 0)) return null;
  return `must not contain ${entry}, because every client could forge its address. List the ranges of your proxies`;
}

/**
 * Returns the problem with an entry, or null for an IP address with or without a port (`10.0.0.53`, `10.0.0.53:5353`,
 * `2620:fe::fe`, `[2620:fe::fe]:5353`).
 */
function nameServerProblem(entry: string): string | null {
  const withPort = /^(?:\[(.+)\]|([\d.]+)):([1-9]\d{0,4})$/.exec(entry);
  const address = withPort?.[1] ?? withPort?.[2] ?? entry;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  // Port 0 would crash the process, because an assertion in `setServers` of Node.js fails.
  return isAddress && Number(withPort?.[3] ?? 53) <= 65_535
    ? null
    : 'must be a list of IP addresses, with or without a port';
}

/** All settings that Gatehouse reads from its environment (contract, section 6). */
export const settings = {
  NODE_ENV: setting.text({
    doc: '`production` turns on production checks. Any other value means development.',
    fallback: 'development',
  }),
  HOST: setting.text({ doc: 'Address the API listens on.', fallback: '127.0.0.1' }),
  PORT: setting.integer({ doc: 'Port the API listens on.', fallback: 3000 }, 0, 65535),
  PUBLIC_URL: setting.baseUrl({
    doc: 'Base URL of all links and issuer of access tokens. Required in production.',
    fallback: null,
    // Secret because the URL may contain a password by mistake, which the resulting error must not contain.
    secret: true,
    displayedDefault: 'http://HOST:PORT',
  }),
  DATA_DIR: setting.text({
    doc: 'Directory for the embedded database, the generated secret and credentials.json.',
    fallback: '.data',
  }),
  ...databaseSettings,
  GATEHOUSE_SECRET: setting.text({
    doc: 'Root secret of at least 32 bytes, or several separated by commas, newest first. Required in production; otherwise generated and stored in DATA_DIR.',
    fallback: null,
    secret: true,
  }),
  SIGNING_KEY_MAX_AGE: setting.duration(
    { doc: 'Age at which the signing key of access tokens is rotated.', fallback: '90d' },
    86_400_000,
    3650 * 86_400_000,
  ),
  MIGRATE: setting.onOff({
    doc: 'Run pending migrations at startup. With off, the api waits until npm run gatehouse -- migrate has run them.',
    fallback: true,
  }),
  START_TIMEOUT: setting.duration(
    {
      doc: 'Time within which both programs of npm run serve must be ready; otherwise it exits with code 1. The time starts again while PostgreSQL is unavailable. Increase it for long migrations.',
      fallback: DEFAULT_START_TIMEOUT,
    },
    1_000,
    86_400_000,
  ),
  SEED: setting.onOff({
    doc: 'Create the first organization, project, keys and operator in an empty database. npm start turns it on for the embedded database.',
    fallback: false,
  }),
  OPERATOR_EMAIL: setting.email({
    doc: 'Email address of the first operator, who becomes an admin. Used together with OPERATOR_PASSWORD while no operator exists. If it is not set, npm run gatehouse -- operator-link prints a one-time setup link.',
    fallback: null,
  }),
  OPERATOR_PASSWORD: setting.text({
    doc: 'Password of the first operator, at least 12 characters. Change it in the console and then remove this setting.',
    fallback: null,
    secret: true,
  }),
  ...operatorOidcSettings,
  SMTP_URL: setting.url(
    {
      doc: 'URL of the mail server, such as smtp://user:password@host:587. Required in production. If it is not set, emails are captured and their links are logged.',
      fallback: null,
      secret: true,
    },
    ['smtp:', 'smtps:'],
  ),
  SMTP_REQUIRE_TLS: setting.onOff({
    doc: 'In production, send no email over an unencrypted connection to another machine: smtp:// then requires STARTTLS. off sends emails and their links unencrypted if the mail server does not support STARTTLS; SMTP_URL must then contain no password.',
    fallback: true,
  }),
  MAIL_FROM: setting.sender({
    doc: 'Sender of all emails. Required in production.',
    fallback: null,
    displayedDefault: 'Gatehouse <no-reply@localhost>',
  }),
  WEBHOOK_RETRY_SCHEDULE: setting.durations(
    {
      doc: 'Delays before the five delivery attempts, each with a jitter of ±10 %.',
      fallback: '0s,15s,1m,5m,30m',
    },
    5,
  ),
  WEBHOOK_TIMEOUT: setting.duration(
    {
      doc: 'Time within which a webhook endpoint must send the status line of its response.',
      fallback: '10s',
    },
    10,
    60_000,
  ),
  WEBHOOK_CONCURRENCY: setting.integer(
    {
      doc: 'Maximum number of concurrent attempts per worker. A single endpoint can use about a quarter of them, a single project about three quarters.',
      fallback: 256,
    },
    1,
    10_000,
  ),
  WEBHOOK_ALLOWED_CIDRS: setting.list(
    {
      doc: 'Address ranges that webhooks and the requests of legacySignIn may call in addition to the public internet, separated by commas. Outside production, loopback and the address of host.docker.internal in /etc/hosts are allowed as well. In production, no range may be wider than /8 (IPv6: /32). Metadata services of cloud platforms are always blocked.',
      fallback: [],
    },
    cidrProblem,
  ),
  WEBHOOK_DNS_SERVERS: setting.list(
    {
      doc: "Name servers that resolve the hosts of webhook endpoints, of identity providers and of legacySignIn, and the records of domains, such as 10.0.0.53 or 10.0.0.53:5353, separated by commas. If it is not set, the system's name servers are used. /etc/hosts takes precedence.",
      fallback: [],
    },
    nameServerProblem,
  ),
  WEBHOOK_RETENTION: setting.duration(
    {
      doc: 'Retention of events, deliveries and attempts. Dead letters are stored until they are redelivered or discarded.',
      fallback: '30d',
    },
    86_400_000,
    3650 * 86_400_000,
  ),
  AUDIT_RETENTION: setting.duration(
    { doc: 'Retention of audit log entries.', fallback: '365d' },
    86_400_000,
    3650 * 86_400_000,
  ),
  AUDIT_IP: setting.choice(
    {
      doc: 'How client addresses are stored in the audit log: full, masked to /24 (IPv6: /48), or off.',
      fallback: 'full',
    },
    ['full', 'masked', 'off'] as const,
  ),
  BCRYPT_COST: setting.integer(
    { doc: 'bcrypt cost of password hashes, at least 10 in production.', fallback: 10 },
    4,
    16,
  ),
  HASH_THREADS: setting.integer(
    {
      doc: 'Number of threads that hash passwords.',
      fallback: Math.max(1, availableParallelism()),
      displayedDefault: 'number of cores',
    },
    1,
    64,
  ),
  HASH_QUEUE_WAIT: setting.duration(
    {
      doc: 'Maximum time that a password waits for one of these threads, from 100ms to 5s. Requests that would wait longer get 503 overloaded with Retry-After at once.',
      fallback: '4s',
    },
    100,
    5_000,
  ),
  BREACH_LIST_URL: setting.baseUrl({
    doc: 'URL of the list of breached passwords, queried with k-anonymity for projects that turn on breachCheck.',
    fallback: 'https://api.pwnedpasswords.com',
  }),
  RATE_LIMITS: setting.onOff({
    doc: 'Rate limits per client address and per key. Failed sign-ins are always limited. Must be on in production.',
    fallback: true,
  }),
  REQUEST_MEMORY: setting.integer(
    {
      doc: 'Memory in MiB that the requests in progress of an api can use: four fifths for imports and exports. A secret key, customer or operator can use half of each part, a client address an eighth. Requests beyond that get 503 overloaded with Retry-After. The default follows the maximum heap of Node.js, which is half of the memory of the container.',
      fallback: 0,
      displayedDefault: '5/8 of the maximum heap',
    },
    8,
    1_048_576,
  ),
  TRUSTED_PROXIES: setting.list(
    {
      doc: 'Address ranges of proxies whose X-Forwarded-For header is trusted, separated by commas.',
      fallback: [],
    },
    proxyRangeProblem,
  ),
  STRIPE_SECRET_KEY: setting.pattern(
    {
      doc: 'Stripe secret or restricted key. The Stripe customer portal is then used as the billing portal. If the key is not set, development shows a built-in page, and production has no billing portal.',
      fallback: null,
      secret: true,
    },
    // Ensures that neither a publishable key nor a Gatehouse key is sent to Stripe.
    /^[sr]k_[a-z]+_[0-9A-Za-z_]+$/,
    'must be a Stripe secret or restricted key, such as sk_live_… or rk_test_…',
  ),
  STRIPE_API_BASE: setting.origin({
    doc: 'Base URL of the Stripe API, https in production. Change it only to use a mock server.',
    fallback: 'https://api.stripe.com',
  }),
  DOCS: setting.onOff({
    doc: 'Serve the API reference at /docs, the error reference at /docs/errors, and the OpenAPI documents.',
    fallback: true,
  }),
  CONSOLE: setting.onOff({
    doc: 'Serve the operator console at /console and its API at /operator/v1.',
    fallback: true,
  }),
  METRICS_PORT: setting.integer(
    {
      doc: 'Port for Prometheus metrics at /metrics and the health of dependencies at /healthz, and for /livez and /readyz of the webhook-worker. npm start uses the next port for the webhook-worker. If it is not set, metrics are off.',
      fallback: 0,
      displayedDefault: '',
    },
    1,
    // One below the maximum, because npm start also uses the next port.
    65534,
  ),
  METRICS_TOKEN: setting.pattern(
    {
      doc: 'Token of at least 32 characters with which the api also serves metrics and the health of dependencies on its own port, at /metrics and /healthz: Authorization: Bearer <token>. With npm start and npm run serve, /metrics/webhook-worker serves those of the webhook-worker.',
      fallback: null,
      secret: true,
    },
    /^[!-~]{32,}$/,
    'must have at least 32 characters without spaces',
  ),
  ...tracingSettings,
  ALERT_WEBHOOK_URL: setting.targetUrl({
    doc: 'URL that receives alerts, such as a Slack incoming webhook; https in production. npm run gatehouse -- alert-secret prints the secret that signs them.',
    fallback: null,
    // Anyone with the URL of an incoming webhook can post to it.
    secret: true,
  }),
  ALERT_EMAIL: setting.sender({
    doc: 'Email address that receives alerts. Requires SMTP_URL or ALERT_SMTP_URL.',
    fallback: null,
  }),
  ALERT_SMTP_URL: setting.url(
    {
      doc: 'URL of a mail server that sends the emails to ALERT_EMAIL instead of SMTP_URL, from the same MAIL_FROM. Only another host or port than that of SMTP_URL can report by email that no emails are sent. SMTP_REQUIRE_TLS applies to it.',
      fallback: null,
      secret: true,
    },
    ['smtp:', 'smtps:'],
  ),
  LOG_LEVEL: setting.choice({ doc: 'Minimum log level.', fallback: 'info' }, [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ] as const),
  FAILPOINTS: setting.list(
    {
      doc: 'For tests, rejected in production: points at which the process terminates itself.',
      fallback: [],
    },
    () => null,
  ),
  TEST_COMMANDS: setting.onOff({
    doc: 'For tests, rejected in production: accept commands over the IPC channel, such as running a periodic job immediately.',
    fallback: false,
  }),
  PERIODIC_JOBS: setting.onOff({
    doc: 'For tests; must be on in production. Run periodic jobs on their schedule and not only on command.',
    fallback: true,
  }),
  TIME_SCALE: setting.integer(
    {
      doc: 'For tests; rejected in production. Divides the timeout, lease and retry schedule of webhooks, the time after which a failing endpoint is disabled or missing workers are reported, and the interval between reloads of the signing keys.',
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
