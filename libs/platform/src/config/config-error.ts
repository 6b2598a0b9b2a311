import { errorMessage } from '../runtime/errors.js';
import { adminCommand } from './admin-command.js';

/** Thrown if the configuration is invalid. The message lists all problems, and never contains a secret value. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'an error' : `${problems.length} errors`}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/** Thrown if GATEHOUSE_SECRET is valid, but is not the secret with which the database was created. */
export class RootSecretError extends ConfigError {
  constructor(cause: unknown) {
    super([]);
    this.name = 'RootSecretError';
    this.cause = cause;
    this.message = `GATEHOUSE_SECRET cannot decrypt the signing keys of this database (${errorMessage(cause)}): restore the secret with which the database was created. If it is lost, follow "Replace a lost root secret" in docs/operations/lost-secret.md: stop all API processes and run "${adminCommand('rotate-signing-key --now')}"`;
  }
}
