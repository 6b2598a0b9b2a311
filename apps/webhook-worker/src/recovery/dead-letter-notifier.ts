import { Inject, Injectable } from '@nestjs/common';
import {
  deadLetterEvent,
  EventsRepository,
  Transactions,
  UnnotifiedDeadLettersRepository,
  WebhookEndpointsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { WorkJob } from '../periodic-job/work-job.js';

/** Maximum number of dead letters per transaction, so that it stays within its timeout. */
const BATCH_SIZE = 200;

/**
 * Creates one event for each dead letter. The statement that records the outcome marks the dead letter, so no event is
 * lost if the worker crashes. Deliveries of `webhook.*` events are never marked: a failing endpoint
 * must not create events about its own failures.
 */
@Injectable()
export class DeadLetterNotifier extends WorkJob {
  constructor(
    private readonly deadLetters: UnnotifiedDeadLettersRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    @Inject(LOGGER) logger: Logger,
  ) {
    super('deadLetters', logger, 'dead letter notification failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.transactions.run((tx) => this.notifyBatch(tx))) === BATCH_SIZE);
  }

  private async notifyBatch(tx: Tx): Promise<number> {
    const claimed = await this.deadLetters.claim(tx, BATCH_SIZE);
    const ids = [...new Set(claimed.map(({ endpointId }) => endpointId))];
    const endpoints = new Map(
      (await this.endpoints.findByIds(tx, ids)).map((endpoint) => [endpoint.id, endpoint]),
    );
    const events = claimed.map((deadLetter) =>
      deadLetterEvent(deadLetter, endpoints.get(deadLetter.endpointId)!),
    );
    this.events.record(tx, events);
    return claimed.length;
  }
}
