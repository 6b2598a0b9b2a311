import { Inject, Injectable } from '@nestjs/common';
import {
  deadLetterEvent,
  EventsRepository,
  Transactions,
  UnnotifiedDeadLettersRepository,
  WebhookEndpointsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { PeriodicJob } from '../periodic-job.js';

/** Dead letters that one transaction tells of: few enough for its time-out. */
const BATCH_SIZE = 200;

/**
 * Tells of dead letters, one event each. The close has marked them, so none is lost with the worker that made them.
 * Deliveries of `webhook.*` events are never marked: an endpoint that dies breeds no events about itself.
 */
@Injectable()
export class DeadLetterNotifier extends PeriodicJob {
  constructor(
    private readonly deadLetters: UnnotifiedDeadLettersRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(config.webhooks.sweepInterval, logger, 'dead letter notification failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    if (!(await this.deadLetters.hasAny())) return;
    while (!signal.aborted && (await this.transactions.run((tx) => this.notifyBatch(tx))) === BATCH_SIZE);
  }

  private async notifyBatch(tx: Tx): Promise<number> {
    const letters = await this.deadLetters.claim(tx, BATCH_SIZE);
    const ids = [...new Set(letters.map(({ endpointId }) => endpointId))];
    const endpoints = new Map(
      (await this.endpoints.findByIds(tx, ids)).map((endpoint) => [endpoint.id, endpoint]),
    );
    const events = letters.map((letter) => deadLetterEvent(letter, endpoints.get(letter.endpointId)!));
    await this.events.record(tx, events);
    return letters.length;
  }
}
