import { GatehouseError } from '@gatehouse/server';
import type { Cli } from '../cli.js';
import { CliError } from '../cli-error.js';
import { createProgress } from '../output.js';

/** Number of customers between progress updates. */
const PROGRESS_STEP = 100;

export const countCustomers = (count: number): string => `${count} ${count === 1 ? 'customer' : 'customers'}`;

/** The customers of an export, counted while they are read. */
export class CountedCustomers<T> implements AsyncIterable<T> {
  count = 0;

  /** @param isShown false to hide the progress, which would be unreadable between exported lines on a terminal */
  constructor(
    private readonly cli: Cli,
    private readonly customers: AsyncIterable<T>,
    private readonly isShown: boolean,
    private readonly verb = 'Exported',
  ) {}

  /** @throws CliError with the number of customers if the connection ends early */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const progress = createProgress(this.cli);
    try {
      for await (const customer of this.customers) {
        yield customer;
        this.count += 1;
        if (this.isShown && this.count % PROGRESS_STEP === 0)
          progress.update(`${this.verb} ${countCustomers(this.count)}`);
      }
    } catch (error) {
      if (this.count === 0 || !(error instanceof GatehouseError)) throw error;
      const message = `The connection ended after ${countCustomers(this.count)}. The export is incomplete.`;
      throw new CliError(message, {
        fix: 'Run the command again. An export cannot be continued.',
        cause: error,
      });
    } finally {
      progress.clear();
    }
  }
}
