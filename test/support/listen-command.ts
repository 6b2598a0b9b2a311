import { setTimeout as sleep } from 'node:timers/promises';
import { parseLines, RunningCli } from './cli.js';
import { eventually } from './eventually.js';

/** Request timeout of `gatehouse listen`. No request in these tests takes that long. */
const TIMEOUT_MS = 30_000;
/** Actual duration of every pause. */
const PAUSE_MS = 20;

export interface ListenSettings {
  url: string;
  secretKey: string;
  secret: string;
}

/** `gatehouse listen --json` in this process, on a terminal and with short pauses. */
export class ListenCommand {
  /** The pauses that the command requested, in ms. */
  readonly pauses: number[] = [];
  private readonly cli: RunningCli;

  constructor({ url, secretKey, secret }: ListenSettings, args: string[]) {
    const env = { GATEHOUSE_URL: url, GATEHOUSE_SECRET_KEY: secretKey, GATEHOUSE_WEBHOOK_SECRET: secret };
    const wait = (ms: number, until?: AbortSignal): Promise<void> => this.wait(ms, until);
    this.cli = new RunningCli(['listen', '--json', ...args], { env, cwd: '/missing', columns: 80, wait });
  }

  get exitCode(): Promise<number> {
    return this.cli.exit;
  }

  get records(): Record<string, any>[] {
    return parseLines(this.cli.stdout.slice(0, this.cli.stdout.lastIndexOf('\n') + 1));
  }

  /** Returns the records of one kind. */
  list(kind: string): Record<string, any>[] {
    return this.records.filter((record) => record['kind'] === kind);
  }

  /** Waits for `count` records of one kind, and returns them. @throws Error if the command ends first */
  waitFor(kind: string, count = 1): Promise<Record<string, any>[]> {
    const found = eventually(
      `${count} records of the kind ${kind}`,
      () => this.list(kind).length >= count && this.list(kind),
    );
    const ended = this.exitCode.then((code) => {
      throw new Error(`gatehouse listen ended with ${code}: ${this.cli.stderr}`);
    });
    return Promise.race([found, ended]);
  }

  press(key: string): void {
    this.cli.stdin.write(key);
  }

  /** Interrupts the command, as Ctrl-C does, unless it has ended. @returns its summary */
  async interrupt(): Promise<Record<string, any>> {
    await this.cli.interrupt();
    return this.list('summary')[0]!;
  }

  private async wait(ms: number, until?: AbortSignal): Promise<void> {
    if (ms !== TIMEOUT_MS) this.pauses.push(ms);
    const duration = ms === TIMEOUT_MS ? TIMEOUT_MS * 20 : PAUSE_MS;
    await sleep(duration, undefined, until && { signal: until }).catch(() => undefined);
  }
}
