import { unescape } from 'node:querystring';
import type { SettingValues } from './settings.js';
import { splitHosts } from './split-hosts.js';

const defaultPasswords = new Set([
  'postgres',
  'password',
  'gatehouse',
  'changeme',
  'secret',
  'redis',
  'admin',
  'root',
]);

function hasDefaultPassword(url: string): boolean {
  const { username, password } = new URL(splitHosts(url)[0]!);
  // decodeURIComponent throws for a % without two hex digits, which a password can contain.
  return password !== '' && (password === username || defaultPasswords.has(unescape(password).toLowerCase()));
}

/** Returns the problems with URLs that contain a default password (requirement CF-03). */
export function defaultPasswordProblems(values: SettingValues): string[] {
  const names = [
    'DATABASE_URL',
    'MIGRATE_DATABASE_URL',
    'DATABASE_READ_URL',
    'REDIS_URL',
    'REDIS_SENTINELS',
    'SMTP_URL',
    'ALERT_SMTP_URL',
  ] as const;
  return names
    .filter((name) => values[name] && hasDefaultPassword(values[name]))
    .map((name) => `${name} contains a default password`);
}
