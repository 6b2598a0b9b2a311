import type { Histogram } from 'prom-client';
import {
  identityProviderTypes,
  mailLimitReasons,
  mailPurposes,
  redirectErrors,
  type IdentityProviderType,
  type MailLimitReason,
  type MailPurpose,
  type RedirectError,
} from '@gatehouse/domain';
import type { HashThreads } from '../crypto/hash-threads.js';
import type { Metrics } from './metrics.js';

/**
 * A sign-in step's possible results. `challenged`: a second factor is required; `refused`: the project does not allow
 * the method or new customers, or the client made another error; `aborted`: the client disconnected before the
 * response; `error`: an error in Gatehouse prevented a decision.
 */
export const loginResults = [
  'success',
  'challenged',
  'invalid',
  'throttled',
  'disabled',
  'unverified',
  'refused',
  'overloaded',
  'aborted',
  'error',
] as const;
export type LoginResult = (typeof loginResults)[number];

/** Sign-in step methods. A second factor is a separate step. */
export const loginMethods = [
  'password',
  'email_code',
  'passkey',
  'totp',
  'recovery_code',
  'exchange',
  'id_token',
  'sign_in_token',
] as const;
export type LoginMethod = (typeof loginMethods)[number];

/** The possible results of the requests to an identity provider in one sign-in step. */
export const providerRequestResults = ['success', 'provider_unavailable', 'sign_in_failed'] as const;
export type ProviderRequestResult = (typeof providerRequestResults)[number];

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

type Observer = Histogram.Internal<string>;

/** The API's metrics. The class is also their injection token. Its value is null if the process serves no metrics. */
export class ApiMetrics {
  private readonly requests;
  private readonly logins;
  private readonly providerReturns;
  private readonly providerRequests;
  private readonly limitedMails;
  private readonly overloads;
  /** Observers by method, status class and route. They are cached so that a request creates no labels. */
  private readonly observers = new Map<string, Observer>();

  constructor(private readonly metrics: Metrics) {
    metrics.registerBuildInfo('api');
    metrics.registerDroppedLogLines();
    this.requests = metrics.histogram(
      'gatehouse_http_request_duration_seconds',
      'Time from the first byte of a request to the last byte of its response, by route template, method and status class.',
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      ['route', 'method', 'status'],
    );
    this.logins = metrics.counter('gatehouse_logins_total', 'Sign-in steps, by method and result.', {
      method: loginMethods,
      result: loginResults,
    });
    this.providerReturns = metrics.counter(
      'gatehouse_identity_provider_returns_total',
      'Browsers that returned from identity providers, by provider type and result.',
      { type: identityProviderTypes, result: ['success', ...redirectErrors] },
    );
    this.providerRequests = metrics.counter(
      'gatehouse_identity_provider_requests_total',
      'Sign-in steps that sent requests to an identity provider, by result.',
      { result: providerRequestResults },
    );
    this.limitedMails = metrics.counter(
      'gatehouse_mails_limited_total',
      'Emails that were not sent because a limit was reached, by purpose and limit.',
      { purpose: mailPurposes, limit: mailLimitReasons },
    );
    this.overloads = metrics.counter(
      'gatehouse_requests_overloaded_total',
      'Requests rejected with 503 overloaded because requests in progress use all memory that REQUEST_MEMORY allows; bulk: imports and exports.',
      { kind: ['requests', 'bulk'] },
    );
  }

  /**
   * @param route the matched route template, such as `/api/v1/customers/:customerId`, never a path
   * @param status null if the client disconnected before the response
   */
  recordRequest(route: string | null, method: string, status: number | null, durationMs: number): void {
    const statusClass = status === null ? 'aborted' : `${Math.floor(status / 100)}xx`;
    const key = `${method} ${statusClass} ${route}`;
    this.getObserver(key, [route ?? 'none', methods.has(method) ? method : 'other', statusClass]).observe(
      durationMs / 1_000,
    );
  }

  /** @param result `success`, or the error in the redirect */
  recordProviderReturn(type: IdentityProviderType, result: 'success' | RedirectError): void {
    this.providerReturns.inc({ type, result });
  }

  recordProviderRequest(result: ProviderRequestResult): void {
    this.providerRequests.inc({ result });
  }

  recordLogin(method: LoginMethod, result: LoginResult): void {
    this.logins.inc({ method, result });
  }

  recordLimitedMail(purpose: MailPurpose, limit: MailLimitReason): void {
    this.limitedMails.inc({ purpose, limit });
  }

  /** Records a request that was rejected because requests in progress use too much memory. */
  recordOverload(kind: 'requests' | 'bulk'): void {
    this.overloads.inc({ kind });
  }

  /** Registers gauges for the memory of requests in progress. */
  instrumentRequestMemory(readHeldBytes: () => number, limitBytes: number): void {
    this.metrics.gauge(
      'gatehouse_request_memory_bytes',
      'Memory used by requests in progress, as counted toward REQUEST_MEMORY.',
      readHeldBytes,
    );
    this.metrics.gauge(
      'gatehouse_request_memory_limit_bytes',
      'Maximum of gatehouse_request_memory_bytes.',
      () => limitBytes,
    );
  }

  /** Registers metrics for passwords that wait for a thread. */
  instrumentHashThreads(threads: HashThreads): void {
    const wait = this.metrics.histogram(
      'gatehouse_password_hash_wait_seconds',
      'Time that passwords waited for a hashing thread.',
      [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    );
    const rejections = this.metrics.counter(
      'gatehouse_password_hash_refusals_total',
      'Passwords rejected with 503 overloaded because the wait for a hashing thread would have been too long.',
      {},
    );
    this.metrics.gauge(
      'gatehouse_password_hash_queue_length',
      'Passwords waiting for a hashing thread.',
      () => threads.queueLength,
    );
    threads.onStart = (waitedMs) => wait.observe(waitedMs / 1_000);
    threads.onRejection = () => rejections.inc();
  }

  private getObserver(key: string, labels: string[]): Observer {
    const existing = this.observers.get(key);
    if (existing) return existing;
    const observer = this.requests.labels(...labels);
    this.observers.set(key, observer);
    return observer;
  }
}
