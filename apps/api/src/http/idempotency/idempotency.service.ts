import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RefreshTokens, type SecretKeyCaller } from '@gatehouse/auth';
import { GatehouseError, invalidField, type ErrorCode, type ErrorDetails } from '@gatehouse/domain';
import {
  IdempotencyKeysRepository,
  SessionsRepository,
  Transactions,
  type IdempotentRequest,
  type Tx,
} from '@gatehouse/persistence';
import { canonicalJson, Keyring, newId, sha256 } from '@gatehouse/platform';
import { deferDelays } from '../timing/response-delay.js';
import { customerIdInResponse } from './customer-id-in-response.js';
import { isNdjson } from '../bodies/body-reader.js';
import { isConsolePath } from '../console-request.js';
import type { GatehouseRequest } from '../request-context.js';

const HEADER = 'Idempotency-Key';

/**
 * Interval at which a running request renews its claim, in ms. Several renewals fit into the time after which
 * another request may take over the claim.
 */
const RENEWAL_MS = 5_000;

/** Error statuses that are stored and replayed, because repeating the request would not change them. */
export const storedErrorStatuses = new Set([404, 409, 422]);

/** A stored response or error. */
type StoredResponse =
  | { status: number; body: unknown }
  | { code: ErrorCode; details: Omit<ErrorDetails, 'cause'>; requestId: string };

/**
 * Executes a POST with a secret key and an Idempotency-Key only once (contract, section 2). The response is
 * committed with the change, so that a repeated request returns the same response, even after a crash.
 */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly keys: IdempotencyKeysRepository,
    private readonly transactions: Transactions,
    private readonly sessions: SessionsRepository,
    private readonly refreshTokens: RefreshTokens,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Returns the stored response to a repeated request, otherwise the result of `run`.
   * @throws GatehouseError `validation_failed` for an invalid key, even in requests without a secret key
   */
  respond(request: GatehouseRequest, response: Response, run: () => Promise<unknown>): Promise<unknown> {
    const key = request.get(HEADER);
    const secretKey = request.caller?.kind === 'secret-key' ? request.caller : request.accompanyingSecretKey;
    if (request.method !== 'POST' || key === undefined || isConsolePath(request.path)) return run();
    assertKey(key);
    if (!secretKey) return run();
    // NDJSON lines are committed as they arrive. The key identifies the import, so no line is imported twice.
    if (isNdjson(request)) return run();
    return this.runOnce(this.describe(request, key, secretKey), request, response, run);
  }

  private describe(request: GatehouseRequest, key: string, secretKey: SecretKeyCaller): IdempotentRequest {
    const { path } = request.route as { path: string };
    return {
      projectId: secretKey.project.id,
      route: `${request.method} ${path}`,
      keyHash: sha256(key),
      // A keyed hash, because the body may contain a password, which could be guessed from a plain hash. It includes
      // the API key, because a response may contain a secret, such as a new API key's value, which only the API key
      // that requested it may read.
      fingerprint: this.keyring.mac(
        'idempotent-request',
        canonicalJson([request.path, request.body ?? null, secretKey.keyId, callerCustomerId(request)]),
      ),
    };
  }

  private async runOnce(
    idempotentRequest: IdempotentRequest,
    request: GatehouseRequest,
    response: Response,
    run: () => Promise<unknown>,
  ): Promise<unknown> {
    const claim = newId();
    const existing = await this.keys.begin(idempotentRequest, claim);
    if (existing.state === 'running') throw inProgressError();
    if (existing.state === 'other-request') throw new GatehouseError('idempotency_key_reused');
    if (existing.state === 'finished') {
      const text = this.keyring.decrypt('idempotent-answer', existing.claim, existing.response);
      return this.replay(JSON.parse(text) as StoredResponse, response);
    }
    // Renews a slow request's claim. If a renewal fails, the next one compensates for it.
    const renewal = setInterval(
      () => void this.keys.renew(idempotentRequest, claim).catch(() => undefined),
      RENEWAL_MS,
    );
    try {
      const store = async (tx: Tx, body: unknown) => {
        const sealed = this.seal(claim, { status: response.statusCode, body });
        const isStored = await this.keys.saveResponse(
          tx,
          idempotentRequest,
          claim,
          sealed,
          customerIdInResponse(body),
        );
        // Another request has taken over the claim, and the change must not happen twice.
        if (!isStored) throw inProgressError();
      };
      return await deferDelays(() => this.transactions.runAsUnitOfWork(run, store));
    } catch (error) {
      await this.storeError(idempotentRequest, claim, error, request);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async storeError(
    idempotentRequest: IdempotentRequest,
    claim: string,
    error: unknown,
    { requestId }: GatehouseRequest,
  ): Promise<void> {
    if (!(error instanceof GatehouseError) || !storedErrorStatuses.has(error.status)) {
      const released = this.keys.release(idempotentRequest, claim);
      // The release is not awaited, because the request has already waited for the unavailable database. The
      // claim also expires by itself.
      const isDatabaseUnavailable = error instanceof GatehouseError && error.code === 'unavailable';
      return isDatabaseUnavailable ? void released.catch(() => undefined) : released;
    }
    const { cause: _, ...details } = error.details;
    const sealed = this.seal(claim, { code: error.code, details, requestId });
    // oxlint-disable-next-line gatehouse/joined-transactions -- the request has failed
    await this.transactions.run((tx) => this.keys.saveResponse(tx, idempotentRequest, claim, sealed, null));
  }

  private async replay(stored: StoredResponse, response: Response): Promise<unknown> {
    response.setHeader('Idempotent-Replayed', 'true');
    if ('code' in stored) {
      const members = { ...stored.details.members, requestId: stored.requestId };
      throw new GatehouseError(stored.code, { ...stored.details, members });
    }
    response.status(stored.status);
    return this.withoutSpentTokens(stored.body);
  }

  /**
   * Removes a refresh token that has been used in the meantime, because using it again would revoke its
   * session.
   */
  private async withoutSpentTokens(body: unknown): Promise<unknown> {
    const token = (body as { tokens?: { refreshToken?: string } | null } | null)?.tokens?.refreshToken;
    if (token === undefined) return body;
    const presented = this.refreshTokens.parse(token);
    const session = presented && (await this.sessions.findRefreshable(presented.sessionId));
    const isUnspent =
      session && !session.chain.revokedAt && session.chain.generation === presented.generation;
    return isUnspent ? body : { ...(body as object), tokens: null };
  }

  private seal(claim: string, stored: StoredResponse): Buffer {
    return this.keyring.encrypt('idempotent-answer', claim, JSON.stringify(stored));
  }
}

/** @throws GatehouseError `validation_failed` for an invalid key */
function assertKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw invalidField(HEADER, 'invalid', `${HEADER} must be 1 to 255 visible ASCII characters`);
}

/**
 * Returns the customer of an access token, because the same request from another customer is a different
 * request.
 */
const callerCustomerId = ({ caller }: GatehouseRequest): string | null =>
  caller?.kind === 'access-token' ? caller.customer.id : null;

const inProgressError = (): GatehouseError =>
  new GatehouseError('idempotency_in_progress', { headers: { 'Retry-After': '1' } });
