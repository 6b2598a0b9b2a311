import type { Socket } from 'node:net';
import type { Response } from 'express';
import type { GatehouseError } from '@gatehouse/domain';
import type { MemoryHold, MemoryHolder } from '@gatehouse/platform';

/** The two budgets: one for imports and exports, and one for all other requests. */
export type MemoryKind = 'requests' | 'bulk';

/** The request properties that a hold uses. */
interface HeldRequest {
  requestId: string;
  socket: Socket;
  body?: unknown;
  rawBody?: Buffer | undefined;
}

export interface HoldActions {
  hold: (kind: MemoryKind, holder: MemoryHolder, bytes: number) => MemoryHold | null;
  /**
   * Returns the error for a request without enough memory. @param bytes memory that it would hold from this
   * budget
   */
  reject: (kind: MemoryKind, bytes: number) => GatehouseError;
  /** Called when a client is disconnected because there is no memory for a response that it does not read. */
  onDropped: (request: HeldRequest) => void;
}

/**
 * The memory of one request. It is released once the request has been processed and its response has been sent
 * or its connection closed, whichever comes last: processing continues after a client has disconnected.
 */
export class RequestHold {
  private bulk: MemoryHold | null = null;
  private isProcessed = false;
  private isClosed = false;

  constructor(
    private readonly actions: HoldActions,
    private readonly own: MemoryHold,
    private readonly request: HeldRequest,
    private readonly response: Response,
  ) {
    response.once('close', () => this.close());
    // Emitted when the response is complete, before the client has read it.
    response.once('prefinish', () => this.holdResponse());
  }

  /**
   * Adds memory, from the import and export budget if `holdBulk` has been called.
   * @throws GatehouseError `overloaded`, `payload_too_large`
   */
  grow(bytes: number): void {
    const hold = this.bulk ?? this.own;
    if (!hold.grow(bytes)) throw this.actions.reject(this.bulk ? 'bulk' : 'requests', hold.bytes + bytes);
  }

  /** Adds memory from the import and export budget. @throws GatehouseError `overloaded`, `payload_too_large` */
  holdBulk(bytes: number): void {
    this.bulk = this.actions.hold('bulk', this.own.holder, bytes);
    if (!this.bulk) throw this.actions.reject('bulk', bytes);
  }

  /** Counts the request toward its caller instead of its client IP. @throws GatehouseError `overloaded` */
  moveTo(holder: MemoryHolder): void {
    if (!this.own.moveTo(holder)) throw this.actions.reject('requests', this.own.bytes);
  }

  /** Must be called when nothing uses the body anymore. Repeated calls do nothing. */
  endProcessing(): void {
    if (this.isProcessed) return;
    this.isProcessed = true;
    this.request.body = undefined;
    this.request.rawBody = undefined;
    this.bulk?.release();
    if (this.isClosed) this.release();
  }

  /** Adds memory for the part of the response that the client has not read. */
  private holdResponse(): void {
    if (this.request.socket.destroyed || this.own.grow(this.response.writableLength)) return;
    this.actions.onDropped(this.request);
    this.request.socket.destroy();
  }

  private close(): void {
    this.isClosed = true;
    // Routes without a Nest handler, such as the OpenAPI document, do not call `endProcessing`.
    if (this.isProcessed || this.response.writableEnded) this.release();
  }

  private release(): void {
    this.own.release();
    this.bulk?.release();
  }
}
