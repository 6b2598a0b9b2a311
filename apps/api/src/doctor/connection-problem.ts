import { GatehouseError } from '@gatehouse/domain';
import { adminCommand, errorCode, errorMessage } from '@gatehouse/platform';
import { failed, type CheckResult } from './check-result.js';

/** A server that Gatehouse uses. */
interface ServerName {
  check: string;
  /** The product, such as `PostgreSQL`. */
  product: string;
  /** The setting that contains the URL. */
  setting: string;
  /** Host and port, without the user and the password. */
  address: string;
}

interface Problem {
  /** Node.js, PostgreSQL and nodemailer codes, or the first word of a Redis error. */
  codes: string[];
  /** Matches the messages of errors without a code. */
  messages?: RegExp;
  cause: (server: ServerName) => string;
  fix: (server: ServerName) => string;
}

/** The errors of servers that do not respond in time. */
const timeouts = {
  codes: ['ETIMEDOUT', '57014'],
  messages: /does not respond|timeout|ETIMEDOUT|Connection terminated/i,
};

const problems: Problem[] = [
  {
    codes: ['ECONNREFUSED'],
    messages: /ECONNREFUSED/,
    cause: ({ product, address }) => `${product} does not accept connections at ${address} (ECONNREFUSED)`,
    fix: ({ product, setting }) => `Start ${product}, or correct the host and the port in ${setting}.`,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN', 'EDNS'],
    messages: /ENOTFOUND|EAI_AGAIN/,
    cause: ({ address }) => `The host name in ${address} cannot be resolved`,
    fix: ({ setting }) => `Correct the host in ${setting}, or its DNS record.`,
  },
  {
    codes: ['28P01', '28000', 'WRONGPASS', 'NOAUTH', 'EAUTH'],
    messages: /WRONGPASS|NOAUTH|client password must be a string/,
    cause: ({ product, address }) => `${product} at ${address} rejects the user or the password`,
    fix: ({ setting }) => `Correct the user and the password in ${setting}.`,
  },
  {
    codes: ['3D000'],
    cause: ({ address }) => `The database does not exist at ${address}`,
    fix: ({ setting }) => `Create the database, or correct its name in ${setting}.`,
  },
  {
    codes: ['53300'],
    cause: ({ address }) => `PostgreSQL at ${address} has no free connection`,
    fix: () => 'Reduce DATABASE_POOL in all processes, or increase max_connections.',
  },
  {
    codes: ['42501'],
    cause: ({ setting }) => `The role of ${setting} has no rights on the tables`,
    fix: () => `Run ${adminCommand('migrate')} with MIGRATE_DATABASE_URL: it grants the role its rights.`,
  },
  {
    codes: ['57P03'],
    cause: ({ address }) => `PostgreSQL at ${address} is starting or stopping`,
    fix: () => 'Wait until it has started, and read its log if it does not.',
  },
  {
    codes: ['EHOSTUNREACH', 'ENETUNREACH', ...timeouts.codes],
    messages: timeouts.messages,
    cause: ({ product, address }) => `${product} at ${address} does not respond`,
    fix: ({ setting }) =>
      `Correct the host and the port in ${setting}, and allow the connection in firewalls.`,
  },
  {
    codes: ['ETLS', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED'],
    messages: /SSL|TLS|certificate|self[- ]signed/i,
    cause: ({ product, address }) => `The encrypted connection to ${product} at ${address} fails`,
    fix: ({ setting }) => `Correct the server certificate, or the TLS parameters in ${setting}.`,
  },
];

/** Returns the server's error, which repositories wrap. */
const unwrap = (error: unknown): unknown =>
  error instanceof GatehouseError && error.cause !== undefined ? error.cause : error;

/** Maximum number of attempts if a server does not respond in time. */
const ATTEMPTS = 3;

/** Runs a check, and repeats it if a server does not respond in time, because it may be busy for a moment. */
export async function retryTimeouts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const cause = unwrap(error);
      const isTimeout =
        timeouts.codes.includes(errorCode(cause)) || timeouts.messages.test(errorMessage(cause));
      if (!isTimeout || attempt === ATTEMPTS) throw cause;
    }
  }
}

/**
 * Returns the result of a failed connection. If the cause is unknown, the result contains the error's code, or
 * its message if it has no code.
 */
export function connectionProblem(server: ServerName, error: unknown): CheckResult {
  const message = errorMessage(error);
  const code = errorCode(error) || (/^[A-Z]{2,}(?= )/.exec(message)?.[0] ?? '');
  const known =
    problems.find(({ codes }) => codes.includes(code)) ??
    problems.find(({ messages }) => messages?.test(message));
  if (known) return failed(server.check, known.cause(server), known.fix(server));
  return failed(
    server.check,
    `The connection to ${server.product} at ${server.address} fails: ${code || message}`,
    `Correct ${server.setting}, or read the log of ${server.product}.`,
  );
}
