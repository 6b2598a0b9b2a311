import type { Cli } from '../../cli.js';
import type { FeedEvent } from '../../follow-feed.js';
import { pauseAfter } from '../../pause-after.js';
import type { Report } from './listen-record.js';
import { sendWebhook, type SendResult } from './send-webhook.js';
import { webhookHeaders } from './webhook-headers.js';

/** A feed event. `body` is null if its data was erased. */
export type ForwardedEvent = Pick<FeedEvent, 'id' | 'type' | 'body'>;

/** An event that was sent, with its body. */
type SentEvent = ForwardedEvent & { body: string };

export interface ForwarderOptions {
  target: URL;
  secret: string;
  userAgent: string;
  wait: Cli['wait'];
  /** Ends the current request and all pauses. */
  signal: AbortSignal;
  report: Report;
}

/**
 * Sends events to one receiver, one at a time: the next one follows when the receiver has responded to the current one,
 * or the request has failed. While no connection can be opened, the current event waits.
 */
export class EventForwarder {
  /** The events whose last request failed, in feed order. */
  private readonly failed = new Map<string, SentEvent>();
  private last: SentEvent | null = null;
  private delivered = 0;
  private skipped = 0;
  /** Ends the pause before the next attempt to connect. */
  private retry = new AbortController();
  private isUnreachable = false;
  /** Resolves when all events in the queue are finished. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ForwarderOptions) {}

  get counts(): { delivered: number; failed: string[]; skipped: number } {
    return { delivered: this.delivered, failed: [...this.failed.keys()], skipped: this.skipped };
  }

  /**
   * Sends an event after all that are already queued.
   * @throws the reason in `signal` if it was aborted before the response
   */
  forward(event: ForwardedEvent): Promise<void> {
    return this.enqueue(async () => {
      const { id, type, body } = event;
      if (typeof body === 'string') return this.deliver({ id, type, body }, false);
      this.skipped += 1;
      await this.options.report({ kind: 'skipped', event_id: id, event_type: type, reason: 'erased' });
    });
  }

  /**
   * Resends all failed events, or only the last failed event. If no event has failed, `last` resends the last event.
   * While the receiver is unreachable, only ends the pause before the next attempt to connect.
   */
  async redeliver(which: 'last' | 'all'): Promise<void> {
    if (this.isUnreachable) return this.retry.abort();
    await this.enqueue(async () => {
      const events = this.toRedeliver(which);
      if (events.length === 0) await this.options.report({ kind: 'nothing_to_redeliver' });
      for (const event of events) await this.deliver(event, true);
    });
  }

  /** Resolves when no request is in progress. */
  async waitUntilIdle(): Promise<void> {
    await this.queue;
  }

  private toRedeliver(which: 'last' | 'all'): SentEvent[] {
    const failed = [...this.failed.values()];
    if (which === 'all') return failed;
    const event = failed.at(-1) ?? this.last;
    return event ? [event] : [];
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    const result = this.queue.then(() => {
      this.options.signal.throwIfAborted();
      return task();
    });
    this.queue = result.catch(() => undefined);
    return result;
  }

  private async deliver(event: SentEvent, isRedelivery: boolean): Promise<void> {
    const result = await this.sendWhenReachable(event);
    const { status, error, durationMs, responseBody } = result;
    this.last = event;
    if (!isRedelivery || this.failed.has(event.id)) this.count(event, error === null, isRedelivery);
    await this.options.report({
      kind: 'response',
      at: new Date().toISOString(),
      event_id: event.id,
      event_type: event.type,
      status,
      error: error && error.code,
      message: error && error.message,
      duration_ms: durationMs,
      response_body: responseBody,
      is_redelivery: isRedelivery,
    });
  }

  /** Counts a feed event, or the redelivery of an event that had failed. */
  private count(event: SentEvent, isSuccess: boolean, isRedelivery: boolean): void {
    if (isSuccess) {
      this.delivered += 1;
      this.failed.delete(event.id);
    } else if (!isRedelivery) this.failed.set(event.id, event);
  }

  private async sendWhenReachable(event: SentEvent): Promise<SendResult> {
    const { target, report } = this.options;
    for (let failures = 0; ;) {
      const result = await this.send(event);
      if (!result.error?.isUnreachable) {
        this.isUnreachable = false;
        if (failures > 0) await report({ kind: 'reachable', target: target.host });
        return result;
      }
      failures += 1;
      this.isUnreachable = true;
      if (failures === 1)
        await report({
          kind: 'unreachable',
          target: target.host,
          message: result.error.message,
          event_id: event.id,
          event_type: event.type,
        });
      await this.pause(pauseAfter(failures));
    }
  }

  private async pause(ms: number): Promise<void> {
    const { wait, signal } = this.options;
    this.retry = new AbortController();
    await wait(ms, AbortSignal.any([signal, this.retry.signal]));
    signal.throwIfAborted();
  }

  private send({ id, body }: SentEvent): Promise<SendResult> {
    const { target, secret, userAgent, wait, signal } = this.options;
    const headers = webhookHeaders({ eventId: id, body, secret, nowMs: Date.now(), userAgent });
    return sendWebhook(target, { headers, body, wait, signal });
  }
}
