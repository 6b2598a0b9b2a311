import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RefreshTokens, type SecretKeyCaller } from '#auth';
import { GatehouseError, invalidField, type ErrorCode, type ErrorDetails } from '#domain';
import {
  IdempotencyKeysRepository,
  SessionsRepository,
  Transactions,
  type IdempotentRequest,
  type Tx,
} from '#persistence';
import { canonicalJson, Keyring, newId, sha256 } from '#platform';
import { delayingAfter } from './answer-delay.js';
import { answeredCustomerId } from './answered-customer.js';
import { isLines } from './body-reader.js';
import { isForConsole } from './console-request.js';
import type { HouseRequest } from './request-context.js';

const HEADER = 'Idempotency-Key';

/** How often a run says that it is alive: several times before another may take its place. */
const RENEWAL_MS = 5_000;

/** Errors that would come again however often the request is sent: these are kept as answers, others are not. */
export const keptStatuses = new Set([404, 409, 422]);

/** What was answered, so that it can be answered again. */
type KeptAnswer =
  | { status: number; body: unknown }
  | { code: ErrorCode; details: Omit<ErrorDetails, 'cause'>; requestId: string };

/**
 * Does a POST with a secret key and an Idempotency-Key once (contract, section 2): its answer commits with the
 * change itself, so that whoever sends it again, also after a crash, gets the same answer.
 */
@Injectable()
export class Idempotency {
  constructor(
    private readonly keys: IdempotencyKeysRepository,
    private readonly transactions: Transactions,
    private readonly sessions: SessionsRepository,
    private readonly refreshTokens: RefreshTokens,
    private readonly keyring: Keyring,
  ) {}

  /** The answer to a request that asks to be done once, else what `run` answers. */
  answer(request: HouseRequest, response: Response, run: () => Promise<unknown>): Promise<unknown> {
    const key = request.get(HEADER);
    const secretKey = request.caller?.kind === 'secret-key' ? request.caller : request.vouchingKey;
    if (request.method !== 'POST' || key === undefined || !secretKey || isForConsole(request.path))
      return run();
    assertKey(key);
    // Lines are committed as they come: there the key names the import, which then is not done twice either.
    if (isLines(request)) return run();
    return this.once(this.describe(request, key, secretKey), request, response, run);
  }

  private describe(request: HouseRequest, key: string, secretKey: SecretKeyCaller): IdempotentRequest {
    const { path } = request.route as { path: string };
    return {
      projectId: secretKey.project.id,
      route: `${request.method} ${path}`,
      keyHash: sha256(key),
      // Keyed: the body can hold a password, which a plain hash would give away to guesses. With the scopes: an answer
      // can hold a new key's value, which is not for a key that could not have made it.
      fingerprint: this.keyring.mac(
        'idempotent-request',
        canonicalJson([
          request.path,
          request.body ?? null,
          secretKey.reach,
          [...secretKey.scopes].sort(),
          customerOf(request),
        ]),
      ),
    };
  }

  private async once(
    wanted: IdempotentRequest,
    request: HouseRequest,
    response: Response,
    run: () => Promise<unknown>,
  ): Promise<unknown> {
    const claim = newId();
    const standing = await this.keys.begin(wanted, claim);
    if (standing.state === 'running') throw inProgress();
    if (standing.state === 'other-request') throw new GatehouseError('idempotency_key_reused');
    if (standing.state === 'answered') {
      const text = this.keyring.decrypt('idempotent-answer', standing.claim, standing.answer);
      return this.replay(JSON.parse(text) as KeptAnswer, response);
    }
    // What takes long is not dead. A renewal that fails is made up for by the next.
    const renewal = setInterval(() => void this.keys.renew(wanted, claim).catch(() => undefined), RENEWAL_MS);
    try {
      const keep = async (tx: Tx, body: unknown) => {
        const answer = this.seal(claim, { status: response.statusCode, body });
        // Taken for dead and replaced: then the change must not happen a second time.
        const isKept = await this.keys.finish(tx, wanted, claim, answer, answeredCustomerId(body));
        if (!isKept) throw inProgress();
      };
      return await delayingAfter(() => this.transactions.runAsOne(run, keep));
    } catch (error) {
      await this.keepError(wanted, claim, error, request);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async keepError(
    wanted: IdempotentRequest,
    claim: string,
    error: unknown,
    { requestId }: HouseRequest,
  ): Promise<void> {
    if (!(error instanceof GatehouseError) || !keptStatuses.has(error.status)) {
      const released = this.keys.release(wanted, claim);
      // Whoever has waited for an absent database does not wait for it again: the claim ends by itself as well.
      const isAway = error instanceof GatehouseError && error.code === 'unavailable';
      return isAway ? void released.catch(() => undefined) : released;
    }
    const { cause: _, ...details } = error.details;
    const answer = this.seal(claim, { code: error.code, details, requestId });
    await this.transactions.run((tx) => this.keys.finish(tx, wanted, claim, answer, null));
  }

  private async replay(answer: KeptAnswer, response: Response): Promise<unknown> {
    response.setHeader('Idempotent-Replayed', 'true');
    if ('code' in answer) {
      const members = { ...answer.details.members, requestId: answer.requestId };
      throw new GatehouseError(answer.code, { ...answer.details, members });
    }
    response.status(answer.status);
    return this.withoutSpentTokens(answer.body);
  }

  /** A refresh token that has been spent since would end its session if it were used once more. */
  private async withoutSpentTokens(body: unknown): Promise<unknown> {
    const token = (body as { tokens?: { refreshToken?: string } | null } | null)?.tokens?.refreshToken;
    if (token === undefined) return body;
    const presented = this.refreshTokens.parse(token);
    const session = presented && (await this.sessions.findRefreshable(presented.sessionId));
    const isUnspent = session && !session.line.revokedAt && session.line.generation === presented.generation;
    return isUnspent ? body : { ...(body as object), tokens: null };
  }

  private seal(claim: string, answer: KeptAnswer): Buffer {
    return this.keyring.encrypt('idempotent-answer', claim, JSON.stringify(answer));
  }
}

/** @throws GatehouseError `validation_failed` for a key that is none */
function assertKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw invalidField(HEADER, 'invalid', `${HEADER} must be 1 to 255 visible ASCII characters`);
}

/** On routes of a customer the same request of another one is another request. */
const customerOf = ({ caller }: HouseRequest): string | null =>
  caller?.kind === 'access-token' ? caller.customer.id : null;

const inProgress = (): GatehouseError =>
  new GatehouseError('idempotency_in_progress', { headers: { 'Retry-After': '1' } });
