import { Inject, Injectable } from '@nestjs/common';
import { WebhookReplaysRepository, type ClaimedReplay } from '@gatehouse/persistence';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { WorkJob } from '../periodic-job/work-job.js';
import { WebhookSender } from './webhook-sender.js';

/** Maximum number of replays in flight. */
const BATCH_SIZE = 20;

/** Sends each replay once, to the URL that an operator entered, and records the response (ADR 0064). */
@Injectable()
export class ReplayRunner extends WorkJob {
  constructor(
    private readonly replays: WebhookReplaysRepository,
    private readonly sender: WebhookSender,
    @Inject(LOGGER) logger: Logger,
  ) {
    super('replays', logger, 'replay run failed');
  }

  protected async run(signal: AbortSignal): Promise<void> {
    await this.replays.recordLost();
    let claimed: ClaimedReplay[];
    do {
      claimed = await this.replays.claim(BATCH_SIZE);
      await Promise.all(claimed.map((replay) => this.send(replay)));
    } while (claimed.length === BATCH_SIZE && !signal.aborted);
  }

  private async send(replay: ClaimedReplay): Promise<void> {
    // Omits the endpoint's secret and custom headers, which are not meant for this URL.
    const result = await this.sender.send({
      ...replay,
      endpointId: replay.id,
      attempt: 1,
      previousSecret: null,
      headers: null,
    });
    await this.replays.recordOutcome(replay.id, result);
    const { httpStatus, error: reason, durationMs } = result;
    this.logger.info({ replayId: replay.id, httpStatus, reason, durationMs }, 'replay finished');
  }
}
