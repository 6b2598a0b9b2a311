import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiKeyAuthenticator, presentedCredentials, type Caller } from '@gatehouse/auth';
import { GatehouseError } from '@gatehouse/domain';
import {
  ApiMetrics,
  Config,
  LOGGER,
  MemoryBudget,
  TestCommands,
  type Logger,
  type MemoryHold,
  type MemoryHolder,
} from '@gatehouse/platform';
import { addressBlock } from '../client-address.js';
import { callerIp, hasBody, isProbe, type GatehouseRequest } from '../request-context.js';
import type { JsonStructure } from './strict-json.js';
import { RequestHold, type HoldActions, type MemoryKind } from './request-hold.js';

/** Memory for a request without its body: its headers, and the objects that handle it. */
const REQUEST_BYTES = 16 * 1024;

/** Memory per byte of a body, which exists as bytes, as text, as parsed strings and as statement parameters. */
const BYTES_PER_BODY_BYTE = 4;

/** Additional memory per byte of a body with characters outside Latin-1, which V8 stores as two bytes each. */
const BYTES_PER_WIDE_BODY_BYTE = 6;

/** Memory for each key and value of a parsed body, in addition to the contents of strings. */
const BYTES_PER_VALUE = 40;

/** Memory for a streamed import, which holds two batches, or for an export, which holds two pages. */
export const STREAM_BYTES = 8 * 2 ** 20;

/** Memory for exporting a customer: one document, with up to 10 MB of events. */
export const DOCUMENT_BYTES = 32 * 2 ** 20;

/** Share of the memory that imports and exports can use. The rest is reserved for all other requests. */
const BULK_PART = 0.8;

/** Share of each budget that a secret key, a customer or an operator can use. */
const CALLER_SHARE = 1 / 2;

/**
 * Share of each budget that a client IP can use. Requests count toward it before authentication, and requests
 * with publishable keys always do.
 */
const ADDRESS_SHARE = 1 / 8;

/** All client IPs together. The rest is reserved for authenticated callers. */
const addresses: MemoryHolder = { id: 'addresses', share: 3 / 4 };

/**
 * Paths of documents that need neither a body nor the database: documents for offline token verification, and
 * files whose bytes all responses share.
 */
const sharedPaths = /^\/(\.well-known\/|docs(\/|$)|(operator\/)?openapi\.json$)/;

/** `Retry-After` of rejected requests, in seconds. An import takes longer than any other request. */
const retryAfter: Record<MemoryKind, number> = { requests: 1, bulk: 5 };

/** Returns the memory for a body. @param bytes body length */
export const bodyMemory = (bytes: number): number => bytes * BYTES_PER_BODY_BYTE;

/**
 * Returns the memory for a parsed body in addition to `bodyMemory`.
 * @param bytes body length
 */
export const structureMemory = (bytes: number, { count, isWide }: JsonStructure): number =>
  count * BYTES_PER_VALUE + (isWide ? bytes * BYTES_PER_WIDE_BODY_BYTE : 0);

/**
 * Limits the memory that requests in progress use, which clients could otherwise exhaust
 * (docs/adr/0093-request-memory.md). Each secret key, customer and operator can use half the memory, each client IP
 * an eighth.
 */
@Injectable()
export class RequestMemory {
  private readonly budgets: Record<MemoryKind, MemoryBudget>;
  private readonly actions: HoldActions;

  constructor(
    config: Config,
    private readonly apiKeys: ApiKeyAuthenticator,
    testCommands: TestCommands,
    @Inject(ApiMetrics) metrics: ApiMetrics | null,
    @Inject(LOGGER) logger: Logger,
  ) {
    const { requestMemory } = config.http;
    const bulk = Math.floor(requestMemory * BULK_PART);
    this.budgets = {
      bulk: new MemoryBudget(bulk, requestMemory),
      requests: new MemoryBudget(requestMemory - bulk, requestMemory),
    };
    this.actions = {
      hold: (kind, holder, bytes) => this.budgets[kind].hold(holder, bytes),
      reject: (kind, bytes) => {
        if (bytes > requestMemory) return tooLargeError();
        metrics?.recordOverload(kind);
        return overloadedError(kind);
      },
      onDropped: ({ requestId }) =>
        logger.warn({ requestId }, 'response dropped because the client does not read it'),
    };
    metrics?.instrumentRequestMemory(() => this.heldBytes, requestMemory);
    testCommands.on('request-memory', () => this.heldBytes);
  }

  /** Bytes held for all requests in progress. */
  get heldBytes(): number {
    return this.budgets.requests.heldBytes + this.budgets.bulk.heldBytes;
  }

  /** Returns middleware that holds each request's memory, except for requests that use almost none. */
  holdRequests(): RequestHandler {
    return async (request: Request, response: Response, next: NextFunction) => {
      const current = request as GatehouseRequest;
      if ((isProbe(request) || sharedPaths.test(request.path)) && !hasBody(request)) return next();
      const held = this.hold(addressHolder(current)) ?? (await this.holdForKey(current));
      if (!held) throw this.actions.reject('requests', REQUEST_BYTES);
      // The client disconnected while its key was looked up.
      if (response.closed) return held.release();
      current.memory = new RequestHold(this.actions, held, current, response);
      next();
    };
  }

  private hold(holder: MemoryHolder): MemoryHold | null {
    return this.budgets.requests.hold(holder, REQUEST_BYTES);
  }

  /** Holds the memory for a request with a secret key whose client IP has used its share. */
  private async holdForKey(request: GatehouseRequest): Promise<MemoryHold | null> {
    for (const { value } of presentedCredentials(request)) {
      const caller = await this.apiKeys.authenticate(value);
      if (caller?.kind === 'secret-key') return this.hold(holderOf(caller)!);
    }
    return null;
  }
}

/**
 * Returns the error for a body that needs more memory than all requests together can use. A retry cannot
 * succeed.
 */
const tooLargeError = (): GatehouseError =>
  new GatehouseError('payload_too_large', {
    detail:
      'The body needs more memory than the server has for requests. Send it in parts, or as NDJSON, which is read line by line.',
  });

const overloadedError = (kind: MemoryKind): GatehouseError =>
  new GatehouseError('overloaded', {
    detail:
      'Other requests use the memory that this request needs. Wait for the number of seconds in Retry-After, then retry.',
    headers: { 'Retry-After': String(retryAfter[kind]) },
  });

function addressHolder(request: GatehouseRequest): MemoryHolder {
  const address = callerIp(request) ?? '';
  // An IPv4 address is its own block.
  const id = address.includes(':') ? addressBlock(address) : address;
  return { id, share: ADDRESS_SHARE, group: addresses };
}

const callerOf = (kind: string, id: string): MemoryHolder => ({ id: `${kind}:${id}`, share: CALLER_SHARE });

/**
 * Returns the holder for a caller's requests; null for requests that count toward their client IP. These include
 * requests with a publishable key: the key is public, so one client could otherwise use the memory of every client in
 * the project.
 */
export function callerHolder({ caller, accompanyingSecretKey }: GatehouseRequest): MemoryHolder | null {
  if (accompanyingSecretKey) return holderOf(accompanyingSecretKey);
  return caller ? holderOf(caller) : null;
}

function holderOf(caller: Caller): MemoryHolder | null {
  if (caller.kind === 'secret-key') return callerOf('key', caller.keyId);
  if (caller.kind === 'access-token') return callerOf('customer', caller.customer.id);
  return caller.kind === 'operator' ? callerOf('operator', caller.operatorId) : null;
}
