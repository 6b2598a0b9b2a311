/** The command's exit codes. 130 and 141 are the conventional codes after SIGINT and SIGPIPE. */
export const ExitCode = { success: 0, failure: 1, usage: 2, interrupted: 130, brokenPipe: 141 } as const;

export interface CliErrorOptions {
  /** Default: 1 (the command failed). 2 means wrong usage or settings. */
  exitCode?: number;
  /** The fix, in one sentence. */
  fix?: string;
  cause?: unknown;
}

/** An error that is printed without a stack: its message, and the fix on a second line. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly fix: string | null;

  constructor(message: string, { exitCode = ExitCode.failure, fix, cause }: CliErrorOptions = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.fix = fix ?? null;
  }
}

/** Returns an error with exit code 2, for wrong usage or an invalid setting. */
export const usageError = (message: string, fix?: string): CliError =>
  new CliError(message, { exitCode: ExitCode.usage, ...(fix && { fix }) });
