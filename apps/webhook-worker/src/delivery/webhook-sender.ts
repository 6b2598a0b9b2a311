import { Injectable } from '@nestjs/common';
import type { AttemptResult } from '@gatehouse/domain';
import {
  Config,
  Keyring,
  monotonicMs,
  OutboundClient,
  runInSpan,
  tracing,
  UnreadableValues,
  type Span,
} from '@gatehouse/platform';
import { classifyAttemptError } from './classify-attempt-error.js';
import { webhookHeaders, type WebhookToSend } from './webhook-headers.js';

/** Maximum number of bytes to store from a response (requirement WH-12). */
const MAX_RESPONSE_BYTES = 16 * 1024;

/** Sends HTTP requests to targets. Returns every response and failure as a result, and never throws. */
@Injectable()
export class WebhookSender {
  private readonly client: OutboundClient;
  /** Time limit for an attempt, in ms. */
  private readonly timeoutMs: number;
  /**
   * One controller per request. If hundreds of requests shared a signal, Node.js would search all its listeners
   * after each request.
   */
  private readonly inFlight = new Set<AbortController>();
  private isAborted = false;

  constructor(
    config: Config,
    private readonly keyring: Keyring,
    private readonly unreadable: UnreadableValues,
  ) {
    const { allowedCidrs, dnsServers, timeout } = config.webhooks;
    const policy = { production: config.production, allowedCidrs };
    this.timeoutMs = timeout;
    this.client = OutboundClient.forDeliveries({ policy, dnsServers, timeoutMs: timeout });
  }

  /** Aborts all requests when the worker must stop. Each ends as `worker_lost`. */
  abort(): void {
    this.isAborted = true;
    for (const controller of this.inFlight) controller.abort();
  }

  /**
   * Signs and sends an attempt. One time limit covers everything from the DNS lookup to the status line. The remaining
   * time is available for the body (requirement WH-06).
   */
  send(attempt: WebhookToSend): Promise<AttemptResult> {
    return runInSpan(
      () => describeRequest(attempt.targetUrl),
      async (span) => {
        const result = await this.post(attempt);
        if (span) recordResult(span, result);
        return result;
      },
    );
  }

  private async post(attempt: WebhookToSend): Promise<AttemptResult> {
    const headers = this.unreadable.readOrNull({ endpointId: attempt.endpointId }, () =>
      webhookHeaders(this.keyring, attempt, this.unreadable),
    );
    // Nothing was sent, and the endpoint did not cause the failure.
    if (headers === null) return lostAttempt(0);
    const controller = new AbortController();
    this.inFlight.add(controller);
    if (this.isAborted) controller.abort();
    const startedMs = monotonicMs();
    const elapsedMs = (): number => Math.round(monotonicMs() - startedMs);
    try {
      const response = await this.client.request({
        method: 'POST',
        url: attempt.targetUrl,
        headers,
        body: Buffer.from(attempt.body),
        signal: controller.signal,
        // A retry opens a new connection, so that a broken one cannot fail it again.
        reuseConnection: attempt.attempt === 1,
      });
      // If the event loop was blocked, a response that arrived in time may be read after the time limit.
      const durationMs = Math.min(elapsedMs(), this.timeoutMs);
      return {
        httpStatus: response.status,
        success: response.ok,
        error: response.ok ? null : 'http_error',
        durationMs,
        responseBody: await response.excerpt(MAX_RESPONSE_BYTES),
        retryAfter: headerText(response.headers['retry-after']),
      };
    } catch (error) {
      const lost = lostAttempt(elapsedMs());
      return this.isAborted ? lost : { ...lost, error: classifyAttemptError(error) };
    } finally {
      this.inFlight.delete(controller);
    }
  }
}

/** Returns the result of an attempt that ended without a response because of the worker. */
export const lostAttempt = (durationMs: number): AttemptResult => ({
  httpStatus: 0,
  success: false,
  error: 'worker_lost',
  durationMs,
  responseBody: '',
  retryAfter: null,
});

/** Returns the options of a request's span. Omits `url.full`, because path and query can contain a secret. */
function describeRequest(targetUrl: string) {
  const { hostname, port, protocol } = new URL(targetUrl);
  return {
    name: 'POST',
    kind: 'CLIENT' as const,
    attributes: {
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    },
  };
}

function recordResult(span: Span, { httpStatus, success, error }: AttemptResult): void {
  if (httpStatus > 0) span.setAttribute('http.response.status_code', httpStatus);
  if (!success) tracing!.fail(span, httpStatus > 0 ? String(httpStatus) : error!);
}

const headerText = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, 100) : null;
