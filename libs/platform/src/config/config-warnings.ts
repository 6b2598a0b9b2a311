import { isIP } from 'node:net';
import { unescape } from 'node:querystring';
import ipaddr from 'ipaddr.js';
import { isOutdatedNode } from './outdated-node.js';
import type { SettingValues } from './settings.js';
import { splitHosts } from './split-hosts.js';

/** Weaknesses that production allows but reports, with their log messages. */
export const configWarnings = {
  node_outdated: 'this version of Node.js lacks security fixes; use Node.js 24.22.1 or later',
  smtp_unencrypted: 'emails may be sent unencrypted; set SMTP_REQUIRE_TLS=on or use smtps://',
  smtp_certificate_unverified:
    'the certificate of a mail server is not verified; remove tls.rejectUnauthorized from SMTP_URL and ALERT_SMTP_URL',
  redis_unencrypted: 'the connection to Redis is not encrypted; use rediss:// in REDIS_URL',
  database_unencrypted:
    'the connection to PostgreSQL is not encrypted; add ?sslmode=verify-full to DATABASE_URL, MIGRATE_DATABASE_URL and DATABASE_READ_URL',
} as const;

export type ConfigWarning = keyof typeof configWarnings;

/** Returns a configuration's weaknesses (requirements OP-04 and SC-01), or none outside production. */
export function listConfigWarnings(
  values: SettingValues,
  environment: Record<string, string | undefined>,
): ConfigWarning[] {
  if (values.NODE_ENV !== 'production') return [];
  const { SMTP_URL, ALERT_SMTP_URL, REDIS_URL, REDIS_SENTINELS } = values;
  const { DATABASE_URL, MIGRATE_DATABASE_URL, DATABASE_READ_URL } = values;
  const splitAllHosts = (...urls: (string | null)[]): string[] =>
    urls.flatMap((url) => (url ? splitHosts(url) : []));
  const remoteMailServers = [SMTP_URL, ALERT_SMTP_URL].filter(
    (url): url is string => url !== null && isRemoteMailServer(url),
  );
  const found: Record<ConfigWarning, boolean> = {
    node_outdated: isOutdatedNode(process.versions.node),
    smtp_unencrypted:
      !values.SMTP_REQUIRE_TLS && remoteMailServers.some((url) => new URL(url).protocol === 'smtp:'),
    smtp_certificate_unverified: remoteMailServers.some((url) =>
      /^(false|0)$/.test(parameter(url, 'tls.rejectUnauthorized') ?? ''),
    ),
    redis_unencrypted: splitAllHosts(REDIS_URL, REDIS_SENTINELS).some(isUnencryptedRedis),
    database_unencrypted: splitAllHosts(DATABASE_URL, MIGRATE_DATABASE_URL, DATABASE_READ_URL).some((url) =>
      isUnencryptedDatabase(url, environment),
    ),
  };
  return (Object.keys(found) as ConfigWarning[]).filter((warning) => found[warning]);
}

/**
 * Returns whether a mail server is on another machine. With some parameters, nodemailer connects to a different host
 * than the one in the URL.
 */
export function isRemoteMailServer(smtpUrl: string): boolean {
  const { hostname, searchParams } = new URL(smtpUrl);
  return !isLoopbackHost(hostname) || ['host', 'service', 'proxy'].some((name) => searchParams.has(name));
}

function isUnencryptedRedis(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'redis:' && hostname !== '' && !isLoopbackHost(hostname);
}

/** Returns whether `pg` would connect to another machine without TLS. */
function isUnencryptedDatabase(
  url: string,
  { PGSSLMODE, PGHOST }: Record<string, string | undefined>,
): boolean {
  const host = parameter(url, 'host') || unescape(new URL(url).hostname) || PGHOST || 'localhost';
  if (host.startsWith('/') || isLoopbackHost(host)) return false;
  const mode = parameter(url, 'sslmode');
  if (mode) return mode === 'disable';
  if (['sslcert', 'sslkey', 'sslrootcert'].some((name) => parameter(url, name))) return false;
  const ssl = parameter(url, 'ssl');
  if (ssl !== null) return ['', '0', 'false'].includes(ssl);
  if (parameter(url, 'sslnegotiation') === 'direct') return false;
  return !PGSSLMODE || PGSSLMODE === 'disable';
}

const parameter = (url: string, name: string): string | null => new URL(url).searchParams.get(name);

/** Returns true for `localhost` and loopback addresses, with or without brackets. */
function isLoopbackHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return (
    bare.toLowerCase() === 'localhost' || (isIP(bare) !== 0 && ipaddr.parse(bare).range() === 'loopback')
  );
}
