import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import axios, { type AxiosResponse } from 'axios';
import { publicId, type AttemptResult, type TargetPolicy } from '#domain';
import type { ClaimedAttempt } from '#persistence';
import { Config, Keyring, monotonicMs, now, signWebhook, webhookUserAgent } from '#platform';
import { attemptFault } from './attempt-fault.js';
import { guardedAgents } from './guarded-agents.js';
import { guardedLookup } from './guarded-lookup.js';
import { readResponseText } from './response-text.js';

/** Makes one HTTP request to a target. Whatever the target does is a result, never an exception. */
@Injectable()
export class WebhookSender {
  private readonly client;
  private readonly timeout: number;

  constructor(
    config: Config,
    private readonly keyring: Keyring,
  ) {
    const policy: TargetPolicy = {
      production: config.production,
      allowedCidrs: config.webhooks.allowedCidrs,
    };
    this.timeout = config.webhooks.timeout;
    this.client = axios.create({
      ...guardedAgents(policy, guardedLookup(policy, config.webhooks.dnsServers)),
      method: 'POST',
      responseType: 'stream',
      maxRedirects: 0,
      decompress: false,
      proxy: false,
      validateStatus: () => true,
      transformRequest: [(data: unknown) => data],
    });
  }

  /** Signs and sends. One wall-clock deadline stands over everything from the look-up to the status line. */
  async send(attempt: ClaimedAttempt): Promise<AttemptResult> {
    // Outside the try: a secret that cannot be read is our fault, not the target's.
    const headers = this.headers(attempt);
    const started = monotonicMs();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.timeout);
    try {
      const response: AxiosResponse<Readable> = await this.client.request({
        url: attempt.targetUrl,
        data: Buffer.from(attempt.body),
        headers,
        signal: deadline.signal,
      });
      const durationMs = Math.round(monotonicMs() - started);
      const success = response.status >= 200 && response.status <= 299;
      return {
        httpStatus: response.status,
        success,
        error: success ? null : 'http_error',
        durationMs,
        responseBody: await readResponseText(response.data, response.headers['content-encoding']),
        retryAfter: headerText(response.headers['retry-after']),
      };
    } catch (error) {
      const durationMs = Math.round(monotonicMs() - started);
      return {
        httpStatus: 0,
        success: false,
        error: attemptFault(error),
        durationMs,
        responseBody: '',
        retryAfter: null,
      };
    } finally {
      clearTimeout(timer);
    }
  }

  private headers(attempt: ClaimedAttempt): Record<string, string> {
    const id = publicId('event', attempt.eventId);
    const timestamp = Math.floor(now().getTime() / 1000);
    const secret = this.keyring.decrypt('webhook-secret', attempt.endpointId, attempt.secret);
    return {
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      'Content-Type': 'application/json',
      'User-Agent': webhookUserAgent,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secret, id, timestamp, attempt.body),
    };
  }
}

const headerText = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, 100) : null;
