import { Inject, Injectable } from '@nestjs/common';
import {
  deadLetterEvent,
  EventsRepository,
  Transactions,
  UntoldDeadLettersRepository,
  WebhookEndpointsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Dead letters that one transaction tells of: few enough for its time-out. */
const BATCH = 200;

/**
 * Tells of dead letters, one event each. The close has marked them, so none is lost with the worker that made them.
 * Deliveries of `webhook.*` events are never marked: an endpoint that dies breeds no events about itself.
 */
@Injectable()
export class DeadLetterNews extends PeriodicJob {
  constructor(
    private readonly letters: UntoldDeadLettersRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.sweepInterval, logger, 'dead letter notification failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    if (!(await this.letters.exist())) return;
    while (!signal.aborted && (await this.transactions.run((tx) => this.tellBatch(tx))) === BATCH);
  }

  private async tellBatch(tx: Tx): Promise<number> {
    const letters = await this.letters.take(tx, BATCH);
    const ids = [...new Set(letters.map(({ endpointId }) => endpointId))];
    const endpoints = new Map(
      (await this.endpoints.ofIds(tx, ids)).map((endpoint) => [endpoint.id, endpoint]),
    );
    const events = letters.map((letter) => deadLetterEvent(letter, endpoints.get(letter.endpointId)!));
    await this.events.record(tx, events);
    return letters.length;
  }
}
