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
    doc: 'Base URL for all links, and issuer of access tokens. Required in production.',
    fallback: null,
    // Secret, so that an error never contains a password that was put into the URL by mistake.
    secret: true,
    displayedDefault: 'http://HOST:PORT',
  }),
  DATA_DIR: setting.text({
    doc: 'Directory for the embedded database, the generated secret and credentials.json.',
    fallback: '.data',
  }),
  ...databaseSettings,
  GATEHOUSE_SECRET: setting.text({
    doc: 'Root secret of at least 32 bytes, or several separated by commas, newest first. Required in production. In development, it is generated and stored in DATA_DIR if it is not set.',
    fallback: null,
    secret: true,
  }),
  SIGNING_KEY_MAX_AGE: setting.duration(
    { doc: 'Age at which the signing key for access tokens is rotated.', fallback: '90d' },
    86_400_000,
    3650 * 86_400_000,
  ),
  MIGRATE: setting.onOff({
    doc: 'Run pending migrations at startup. If off, the API process waits until npm run gatehouse -- migrate has run them.',
    fallback: true,
  }),
  START_TIMEOUT: setting.duration(
    {
      doc: 'Maximum time for both programs to become ready after npm run serve. If it is exceeded, the command exits with code 1. The timeout starts over whenever a program reports that it is waiting for PostgreSQL. Increase it for long migrations.',
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
    doc: 'Email address of the first operator, who becomes an admin. Used only while no operator exists, and only with OPERATOR_PASSWORD. If it is not set, create the first operator with the link that npm run gatehouse -- operator-link prints.',
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
    doc: 'In production, never send an email over an unencrypted connection to another machine, so smtp:// requires STARTTLS. If off, emails and their links are sent unencrypted if the mail server does not support STARTTLS, and SMTP_URL must not contain a password.',
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
      doc: 'Maximum time for a webhook endpoint to send the status line of its response.',
      fallback: '10s',
    },
    10,
    60_000,
  ),
  WEBHOOK_CONCURRENCY: setting.integer(
    {
      doc: 'Maximum number of concurrent attempts per worker. A single endpoint can use about a quarter of them, and a single project about three quarters.',
      fallback: 256,
    },
    1,
    10_000,
  ),
  WEBHOOK_ALLOWED_CIDRS: setting.list(
    {
      doc: 'Address ranges to which webhooks and legacySignIn can send requests in addition to the public internet, separated by commas. Outside production, loopback and the address of host.docker.internal in /etc/hosts are allowed as well. In production, no range can be wider than /8 (IPv6: /32). Cloud metadata services are always blocked.',
      fallback: [],
    },
    cidrProblem,
  ),
  WEBHOOK_DNS_SERVERS: setting.list(
    {
      doc: "Name servers for the hosts of webhook endpoints, identity providers and legacySignIn, and for domain records, such as 10.0.0.53 or 10.0.0.53:5353, separated by commas. If it is not set, the system's name servers are used. /etc/hosts takes precedence.",
      fallback: [],
    },
    nameServerProblem,
  ),
  WEBHOOK_RETENTION: setting.duration(
    {
      doc: 'Retention period for events, deliveries and attempts. Dead letters are stored until they are redelivered or discarded.',
      fallback: '30d',
    },
    86_400_000,
    3650 * 86_400_000,
  ),
  AUDIT_RETENTION: setting.duration(
    { doc: 'Retention period for audit log entries.', fallback: '365d' },
    86_400_000,
    3650 * 86_400_000,
  ),
  AUDIT_IP: setting.choice(
    {
      doc: 'How the audit log stores client IPs: full, masked to /24 (IPv6: /48), or off.',
      fallback: 'full',
    },
    ['full', 'masked', 'off'] as const,
  ),
  BCRYPT_COST: setting.integer(
    { doc: 'bcrypt cost for password hashes, at least 10 in production.', fallback: 10 },
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
      doc: 'Maximum time that a password waits for a hashing thread, from 100ms to 5s. If a request would wait longer, it is rejected at once with 503 overloaded and Retry-After.',
      fallback: '4s',
    },
    100,
    5_000,
  ),
  BREACH_LIST_URL: setting.baseUrl({
    doc: 'URL of the breached password list, which is queried with k-anonymity for projects that turn on breachCheck.',
    fallback: 'https://api.pwnedpasswords.com',
  }),
  RATE_LIMITS: setting.onOff({
    doc: 'Apply rate limits for each client IP and each key. Failed sign-ins are always limited. Must be on in production.',
    fallback: true,
  }),
  REQUEST_MEMORY: setting.integer(
    {
      doc: "Memory in MiB that an API process can use for requests in progress. Four fifths are for imports and exports, and one fifth is for all other requests. A secret key, customer or operator can use half of each part, and a client IP an eighth. Requests that exceed this are rejected with 503 overloaded and Retry-After. The default depends on the maximum heap of Node.js, which is half of the container's memory.",
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
      doc: 'Stripe secret key or restricted key. If it is set, the Stripe customer portal is the billing portal. If it is not set, development uses a built-in page, and production has no billing portal.',
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
      doc: "Port for Prometheus metrics at /metrics, the health of dependencies at /healthz, and the webhook-worker's /livez and /readyz. npm start uses the next port for the webhook-worker. If it is not set, metrics are off.",
      fallback: 0,
      displayedDefault: '',
    },
    1,
    // One below the maximum, because npm start also uses the next port.
    65534,
  ),
  METRICS_TOKEN: setting.pattern(
    {
      doc: "Token of at least 32 characters. If it is set, the API process also serves /metrics and /healthz on its own port, to requests with Authorization: Bearer <token>. With npm start and npm run serve, /metrics/webhook-worker serves the webhook-worker's metrics.",
      fallback: null,
      secret: true,
    },
    /^[!-~]{32,}$/,
    'must be at least 32 characters long and contain no spaces',
  ),
  ...tracingSettings,
  ALERT_WEBHOOK_URL: setting.targetUrl({
    doc: 'URL that receives alerts, such as a Slack incoming webhook; https in production. npm run gatehouse -- alert-secret prints the secret that signs them.',
    fallback: null,
    // Anyone with an incoming webhook's URL can post to it.
    secret: true,
  }),
  ALERT_EMAIL: setting.sender({
    doc: 'Email address that receives alerts. Requires SMTP_URL or ALERT_SMTP_URL.',
    fallback: null,
  }),
  ALERT_SMTP_URL: setting.url(
    {
      doc: 'URL of a mail server for the emails to ALERT_EMAIL, which are sent from MAIL_FROM. If it is not set, SMTP_URL is used. A failure of the mail server in SMTP_URL is reported by email only if this URL has a different host or port. SMTP_REQUIRE_TLS applies to it.',
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
      doc: 'For tests; rejected in production. Points at which the process terminates itself.',
      fallback: [],
    },
    () => null,
  ),
  TEST_COMMANDS: setting.onOff({
    doc: 'For tests; rejected in production. Accept commands over the IPC channel, such as running a periodic job immediately.',
    fallback: false,
  }),
  PERIODIC_JOBS: setting.onOff({
    doc: 'For tests; must be on in production. Run periodic jobs on their schedule, not only on command.',
    fallback: true,
  }),
  TIME_SCALE: setting.integer(
    {
      doc: 'For tests; rejected in production. Divisor for the webhook timeout, lease and retry schedule, the time after which a failing endpoint is disabled or missing workers are reported, and the interval at which signing keys are reloaded.',
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
