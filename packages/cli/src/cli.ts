import { readFileSync } from 'node:fs';
import { createServer, type Gatehouse } from '@gatehouse/server';
import { ExitCode } from './cli-error.js';
import { isPrivateHost } from './private-host.js';
import { readSettings, type Settings, type SettingFlags } from './settings.js';

/** A stream to which the command prints. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; errored?: Error | null };

/** A stream that the command reads. */
export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The process members that the command uses. Tests replace them. */
export interface CliProcess {
  env: Record<string, string | undefined>;
  /** The working directory, from which `.env` is read. */
  cwd: string;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Waits for a time in ms, and ends early when the command is interrupted or `until` is aborted. */
  wait?: (ms: number, until?: AbortSignal) => Promise<void>;
}

/** The options that every command accepts. */
export interface Flags extends SettingFlags {
  json?: boolean;
}

/** A command's environment: its process, its settings and its connection. */
export interface Cli extends Required<CliProcess> {
  /** Set before the command's action runs. */
  flags: Flags;
  /** The exit code if the command throws no error. A command that completes only part of its work sets it to 1. */
  exitCode: number;
  /** True if the command prints one JSON object per line. */
  readonly isJson: boolean;
  /** Returns the settings. @throws CliError if a setting is missing or invalid */
  settings(): Settings;
  /** Returns the API client. It sends no request before its first call. @throws CliError like `settings` */
  connect(): Gatehouse;
}

/** The package's version. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/**
 * Placeholder for a missing project id, which is the audience of access tokens. Commands verify no access tokens.
 */
const NO_PROJECT = 'none';

/** Returns a command's environment. */
export function createCli(process: CliProcess): Cli {
  return {
    wait: (ms, until) => waitFor(ms, until ? AbortSignal.any([process.signal, until]) : process.signal),
    ...process,
    flags: {},
    exitCode: ExitCode.success,
    get isJson() {
      return this.flags.json === true;
    },
    settings() {
      return readSettings(this, this.flags);
    },
    connect() {
      const { url, secretKey, projectId = NO_PROJECT } = this.settings();
      const { protocol, hostname } = new URL(url);
      // Not an error: the name may belong to a host on a private network.
      if (protocol === 'http:' && !isPrivateHost(hostname))
        this.stderr.write(
          `Warning: the secret key is sent to ${hostname} unencrypted. Use https:// in GATEHOUSE_URL.\n`,
        );
      return createServer({ url, secretKey, projectId, fetch: fetchAsCli });
    },
  };
}

/** Sends a request with a user agent that identifies this package in Gatehouse's logs. */
const fetchAsCli: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('user-agent', `gatehouse-cli/${VERSION}`);
  return fetch(input, { ...init, headers });
};

/** Waits for a time in ms. Ends early when `signal` is aborted. */
function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
