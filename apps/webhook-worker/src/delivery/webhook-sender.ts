import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import axios, { type AxiosResponse } from 'axios';
import { LRUCache } from 'lru-cache';
import { targetUrlFault, type AttemptResult, type TargetPolicy } from '#domain';
import type { ClaimedAttempt } from '#persistence';
import { Config, Keyring } from '#platform';
import { attemptFault } from './attempt-fault.js';
import { BlockedAddressError } from './blocked-address.error.js';
import { Deadline } from './deadline.js';
import { guardedAgents } from './guarded-agents.js';
import { guardedLookup } from './guarded-lookup.js';
import { NameResolver } from './name-resolver.js';
import { readResponseText } from './response-text.js';
import { webhookHeaders } from './webhook-headers.js';

/** Makes one HTTP request to a target. Whatever the target does is a result, never an exception. */
@Injectable()
export class WebhookSender {
  private readonly client;
  private readonly policy: TargetPolicy;
  private readonly timeout: number;
  private readonly allowedUrls = new LRUCache<string, boolean>({ max: 10_000 });
  private readonly underWay = new Set<Deadline>();
  private isAborted = false;

  constructor(
    config: Config,
    private readonly keyring: Keyring,
  ) {
    const { allowedCidrs, dnsServers, timeout } = config.webhooks;
    this.policy = { production: config.production, allowedCidrs };
    this.timeout = timeout;
    // Half the time, so that a silent name server is told apart from a silent target.
    const resolver = new NameResolver(dnsServers, timeout / 2);
    this.client = axios.create({
      ...guardedAgents(this.policy, guardedLookup(this.policy, resolver)),
      method: 'POST',
      responseType: 'stream',
      maxRedirects: 0,
      decompress: false,
      proxy: false,
      validateStatus: () => true,
      transformRequest: [(data: unknown) => data],
    });
  }

  /** Breaks off every request under way, because the worker has to go: each ends as `worker_lost`. */
  abort(): void {
    this.isAborted = true;
    for (const deadline of this.underWay) deadline.abort();
  }

  /**
   * Signs and sends. One wall-clock deadline stands over everything from the look-up to the status line, and what
   * is left of it over the body (requirement WH-06).
   */
  async send(attempt: ClaimedAttempt): Promise<AttemptResult> {
    // Outside the try: a secret that cannot be read is our fault, not the target's.
    const headers = webhookHeaders(this.keyring, attempt);
    const deadline = new Deadline(this.timeout);
    this.underWay.add(deadline);
    try {
      // The row may be older than the policy, or come from elsewhere.
      if (!this.isAllowedUrl(attempt.targetUrl)) throw new BlockedAddressError(attempt.targetUrl);
      const response: AxiosResponse<Readable> = await this.client.request({
        url: attempt.targetUrl,
        data: Buffer.from(attempt.body),
        headers,
        signal: deadline.signal,
      });
      const durationMs = deadline.elapsedMs;
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
      return {
        httpStatus: 0,
        success: false,
        error: this.isAborted ? 'worker_lost' : attemptFault(error),
        durationMs: deadline.elapsedMs,
        responseBody: '',
        retryAfter: null,
      };
    } finally {
      deadline.clear();
      this.underWay.delete(deadline);
    }
  }

  /** An endpoint's URL is the same at every attempt, and its verdict never changes while the process lives. */
  private isAllowedUrl(url: string): boolean {
    const known = this.allowedUrls.get(url);
    if (known !== undefined) return known;
    const isAllowed = targetUrlFault(url, this.policy) === null;
    this.allowedUrls.set(url, isAllowed);
    return isAllowed;
  }
}

const headerText = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, 100) : null;
