import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GatehouseError } from '@gatehouse/domain';
import { JWKS_MAX_AGE_SECONDS, SigningKeyRing, type NextSigningKey } from '@gatehouse/auth';
import {
  API_HEARTBEAT_TIMEOUT_SECONDS,
  ApisRepository,
  assertRootSecret,
  Database,
  SigningKeysRepository,
  Transactions,
} from '@gatehouse/persistence';
import {
  adminCommand,
  alertSecrets,
  Config,
  ConfigError,
  createLogger,
  errorCode,
  errorMessage,
  Keyring,
  loadConfig,
  NestLogger,
  RootSecretError,
} from '@gatehouse/platform';
import { ApiModule } from './api.module.js';
import { AuditService } from './audit/audit.service.js';
import { FirstBoot } from './bootstrap/first-boot.js';
import { FirstKeysService, type UpdatedKey } from './bootstrap/first-keys.service.js';
import { PasswordResetMailsService } from './bootstrap/password-reset-mails.service.js';
import { ReencryptionService } from './bootstrap/reencryption.service.js';
import { StartupService } from './bootstrap/startup.service.js';
import { describeValue, UnreadableRecordsService } from './bootstrap/unreadable-records.service.js';
import { runDoctor } from './doctor/doctor.js';
import { OperatorsService } from './operators/operators.service.js';

const usage = `Usage: ${adminCommand('<command>')}

  migrate              run pending database migrations
  bootstrap            create the first organization, project, keys and operator in an empty database, and print them
  keys widen           add the scopes that are new in this version to the secret keys created at the first start, and
                       print them; the scopes of other keys do not change
  rotate-signing-key   publish a new signing key for access tokens, which starts to sign 15 minutes later;
                       --now (for a leaked key or a lost root secret): the new key signs immediately, and all
                       existing access tokens become invalid
  reencrypt            encrypt all stored values with the first entry of GATEHOUSE_SECRET; can be interrupted and
                       repeated while API processes and workers run
  unreadable list [--after <position>]
                       list the values encrypted with an entry that is no longer in GATEHOUSE_SECRET, 1,000
                       at a time
  unreadable send-resets [--send] [--after <position>]
                       count the customers whose passwords are among these values; with --send, send a password reset
                       to 1,000 of them at a time, except to those who were sent one within the last hour
  operator-link [<email>] [--reset-second-factor]
                       print a link, valid for an hour, to set an operator's new password or to create the first
                       operator; without --reset-second-factor, the authenticator stays enrolled
  alert-secret         print the secret that signs the requests to ALERT_WEBHOOK_URL
  doctor [--json]      check the settings, PostgreSQL, Redis and the mail server, and print a fix for each problem;
                       changes nothing and sends no email; the exit code is 1 if something is broken
`;

/** Thrown when a command could not complete all its work. */
class IncompleteError extends Error {}

type Command = (app: INestApplicationContext) => Promise<string>;

/** Formats a key created at the first start, with the scopes that were added to it. */
const describeUpdatedKey = ({ key: { name, prefix, last4 }, added }: UpdatedKey): string =>
  `${name} (${prefix}…${last4}): ${added.length > 0 ? `added ${added.join(', ')}` : 'nothing to add'}\n`;

/**
 * Returns a message that states whether older entries in GATEHOUSE_SECRET can be removed.
 * @param passwords number of passwords that depend on them
 */
const describeRemoval = (passwords: number): string =>
  passwords === 0
    ? 'Older entries can be removed now. docs/operations/rotate.md describes what becomes invalid.\n'
    : `Older entries can be removed when no password depends on them. Passwords that still depend on one: ${passwords}.
A password moves to the first entry at the next sign-in. docs/operations/rotate.md describes what else becomes invalid.
`;

/** Effects on customers and API processes after all signing keys have been replaced. */
const refreshEffects = `Each running API process reloads its keys within 60 seconds. From then on it rejects all older access tokens. Customers stay
signed in: their applications refresh the tokens. Until all processes have reloaded, they may reject each other's tokens.`;

/** Effects if the GATEHOUSE_SECRET entry that encrypted the keys is lost. */
const lostSecretEffects = `API processes and workers can start with this GATEHOUSE_SECRET, and reject all older access tokens. Refresh tokens and passwords
that depend on the lost entry are rejected too: these customers are signed out, and need a password reset to sign in
with a password. docs/operations/lost-secret.md, "Replace a lost root secret", describes the next steps.`;

const commands: Record<string, Command> = {
  migrate: () => Promise.resolve(''),
  bootstrap: async (app) => {
    const credentials = await app.get(FirstBoot).run();
    return credentials
      ? `${JSON.stringify(credentials, null, 2)}\n`
      : 'The database already contains an organization. Nothing was created.\n';
  },
  'keys widen': async (app) => {
    const keys = await app.get(FirstKeysService).addMissingScopes();
    if (keys.length > 0) return keys.map(describeUpdatedKey).join('');
    throw new IncompleteError(
      'None of the secret keys created at the first start is active. Nothing was changed.',
    );
  },
  'rotate-signing-key': async (app) => {
    const { kid, activatesAt } = await rotate(app, false);
    return `The signing key ${kid} is published. Each running API process starts to sign with it within a minute after
${activatesAt.toISOString()}. Tokens signed with older keys stay valid until they expire.
`;
  },
  'rotate-signing-key --now': async (app) => {
    const isSecretLost = await isRootSecretLost(app);
    const { kid, activatesAt } = await rotate(app, true);
    return `The signing key ${kid} starts to sign now, at ${activatesAt.toISOString()}. All older keys are removed.
${isSecretLost ? lostSecretEffects : refreshEffects}
A service that verifies tokens offline trusts the older keys until it reloads /.well-known/jwks.json: its copy may be
${JWKS_MAX_AGE_SECONDS} seconds old, or as old as its verification library allows.
`;
  },
  reencrypt: async (app) => {
    const report = (line: string) => process.stderr.write(`${line}\n`);
    const { reencrypted, remaining, passwords } = await app.get(ReencryptionService).run(report);
    if (remaining > 0) {
      throw new IncompleteError(`Values re-encrypted: ${reencrypted}. Values that could not be re-encrypted: ${remaining}.
Older entries of GATEHOUSE_SECRET cannot be removed yet. Resolve the errors above, and make sure that all processes
have been restarted with the new first entry. Then run the command again.`);
    }
    return `Values re-encrypted: ${reencrypted}. All encrypted values use the first entry of GATEHOUSE_SECRET.
${describeRemoval(passwords)}`;
  },
};

const singleSignOnHint = `
Single sign-on is required (OPERATOR_OIDC_ONLY=on). The link starts one session without single sign-on, which
lasts at most 12 hours. The password cannot be used to sign in again: create another link for another session.
`;

/** Returns the command for the arguments after `operator-link`, or undefined if they are invalid. */
function parseOperatorLink(args: string[]): Command | undefined {
  const flag = '--reset-second-factor';
  const [email = null, ...others] = args.filter((arg) => arg !== flag);
  if (others.length > 0 || email?.startsWith('-')) return undefined;
  return async (app) => {
    if (!app.get(Config).console) throw new IncompleteError('The console is turned off (CONSOLE=off).');
    const link = await app.get(OperatorsService).createCommandLink(email, args.includes(flag));
    const purpose = link.email ? `set a new password for ${link.email}` : 'create the first operator';
    const isRequired = app.get(Config).operatorOidc?.isRequired ?? false;
    return `Open this link within an hour to ${purpose}. It works once:\n\n${link.url}\n${isRequired ? singleSignOnHint : ''}`;
  };
}

/** Maximum number of values that one run lists. */
const LISTED_VALUES = 1_000;

/** Returns the command for the arguments after `unreadable`, or undefined if they are invalid. */
function parseUnreadable(args: string[]): Command | undefined {
  if (args.join(' ') === 'send-resets') return countResets;
  const pattern = /^(list|send-resets --send)(?: --after (\S+))?$/;
  const [, command, position = null] = pattern.exec(args.join(' ')) ?? [];
  if (!command) return undefined;
  return (app) => (command === 'list' ? listUnreadable(app, position) : sendResets(app, position));
}

const describeNext = (command: string, next: string | null): string =>
  next === null ? '' : `Continue with: ${adminCommand(`unreadable ${command} --after ${next}`)}\n`;

const invalidPosition = (): IncompleteError =>
  new IncompleteError(
    'The position after --after is not valid. Copy it from the output of the previous run.',
  );

async function listUnreadable(app: INestApplicationContext, position: string | null): Promise<string> {
  const page = await app.get(UnreadableRecordsService).list(position, LISTED_VALUES);
  if (!page) throw invalidPosition();
  if (page.records.length === 0)
    return 'No value depends on an entry that is missing from GATEHOUSE_SECRET.\n';
  const lines = page.records.map(
    (record) => `${describeValue(record.column, record)}: no entry has the id ${record.kid}\n`,
  );
  return lines.join('') + describeNext('list', page.next);
}

async function countResets(app: INestApplicationContext): Promise<string> {
  const count = await app.get(PasswordResetMailsService).count();
  if (count === 0)
    return 'No customer has a password that depends on an entry that is missing from GATEHOUSE_SECRET.\n';
  return `Customers whose passwords depend on an entry that is missing from GATEHOUSE_SECRET: ${count}. Nothing was sent.
Send each of them a password reset with: ${adminCommand('unreadable send-resets --send')}
`;
}

async function sendResets(app: INestApplicationContext, position: string | null): Promise<string> {
  const result = await app.get(PasswordResetMailsService).send(position);
  if (!result) throw invalidPosition();
  const { sent, skipped, next, error } = result;
  const reasons = [...skipped]
    .sort()
    .map(([code, count]) => `, ${code}: ${count}`)
    .join('');
  const report = `Password resets sent: ${sent}. Customers skipped: ${[...skipped.values()].reduce((a, b) => a + b, 0)}${reasons}.
${describeNext('send-resets --send', next)}`;
  if (error !== null) throw new IncompleteError(`${report}The run ended early: ${errorMessage(error)}`);
  return report;
}

function findCommand(args: string[]): Command | undefined {
  const [first, ...others] = args;
  if (first === 'operator-link') return parseOperatorLink(others);
  if (first === 'unreadable') return parseUnreadable(others);
  const name = args.join(' ');
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/**
 * Returns true if the signing keys cannot be decrypted.
 * @throws IncompleteError if an API process is running: it may be able to decrypt them, but could not decrypt a key
 * that this GATEHOUSE_SECRET has encrypted
 */
async function isRootSecretLost(app: INestApplicationContext): Promise<boolean> {
  try {
    await assertRootSecret(app.get(SigningKeysRepository), app.get(Keyring));
    return false;
  } catch (error) {
    if (!(error instanceof RootSecretError)) throw error;
    if (await app.get(ApisRepository).isAnyRunning())
      throw new IncompleteError(
        `GATEHOUSE_SECRET cannot decrypt the signing keys of this database, and an API process that may have the correct secret is running. Run the command with its GATEHOUSE_SECRET. If the secret is lost, stop all API processes and repeat the command ${API_HEARTBEAT_TIMEOUT_SECONDS} seconds later.`,
      );
    return true;
  }
}

/** Rotates the signing keys and records the rotation in the audit log, atomically. */
function rotate(app: INestApplicationContext, atOnce: boolean): Promise<NextSigningKey> {
  const audit = app.get(AuditService);
  return app.get(Transactions).runAsUnitOfWork(
    () => app.get(SigningKeyRing).rotate({ atOnce }),
    (tx, { kid }) =>
      audit.recordForInstallation(tx, { action: 'signing_key.rotated', targetId: kid, details: { atOnce } }),
  );
}

/** Runs an `npm run gatehouse` command and returns its exit code. */
async function run(args: string[]): Promise<number> {
  const name = args.join(' ');
  if (name === 'alert-secret') {
    process.stdout.write(`${alertSecrets(new Keyring(loadConfig().rootSecrets))[0]}\n`);
    return 0;
  }
  if (name === 'doctor' || name === 'doctor --json') {
    const { report, exitCode } = await runDoctor(name === 'doctor' ? 'text' : 'json');
    process.stdout.write(report);
    return exitCode;
  }
  if (name === '--help') {
    process.stdout.write(usage);
    return 0;
  }
  const command = findCommand(args);
  if (!command) {
    process.stderr.write(usage);
    return args.length === 0 ? 0 : 2;
  }
  const loaded = loadConfig();
  if (!loaded.database.url) throw new ConfigError(['DATABASE_URL is required']);
  // The other commands must not change a schema that is migrated manually.
  const config = { ...loaded, migrate: loaded.migrate || ['migrate', 'bootstrap'].includes(name) };
  // Migrations can take hours, so their progress is logged.
  const logger = createLogger({ logLevel: name === 'migrate' ? loaded.logLevel : 'warn' }, 'gatehouse');
  const app = await NestFactory.createApplicationContext(ApiModule.forRoot(config, logger), {
    logger: new NestLogger(logger),
  });
  try {
    await app.get(Database).connect();
    await app.get(StartupService).prepareSchema();
    process.stdout.write(await command(app));
    return 0;
  } finally {
    await app.close();
  }
}

/** Conventional exit code after SIGPIPE, which Node.js ignores. */
const EXIT_SIGPIPE = 141;

/** Exits without a stack trace when the output cannot be written. */
function endOnOutputErrors(): void {
  const endOnBrokenPipe = (error: Error): void => {
    // The pipe's reader, such as `head`, has closed it.
    if (errorCode(error) === 'EPIPE') process.exit(EXIT_SIGPIPE);
  };
  process.stdout.on('error', (error: Error) => {
    endOnBrokenPipe(error);
    process.stderr.write(`The result cannot be written to standard output: ${error.message}\n`);
    process.exit(1);
  });
  // Lost progress output, for example on a full disk, does not affect the result.
  process.stderr.on('error', endOnBrokenPipe);
}

const isExpected = (error: unknown): error is Error =>
  [ConfigError, IncompleteError, GatehouseError].some((type) => error instanceof type);

endOnOutputErrors();
process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  if (!isExpected(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  return error instanceof ConfigError ? 78 : 1;
});
