import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { readDeferredBody } from '../http/bodies/body-reader.js';

/**
 * Reads a body that must not be read before authentication, and reserves the memory for a body that the handler reads.
 * Nest runs route guards after global guards.
 */
@Injectable()
export class DeferredBodyGuard implements CanActivate {
  /** @throws GatehouseError `overloaded`, `payload_too_large`, `invalid_json` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await readDeferredBody(context.switchToHttp().getRequest<Request>());
    return true;
  }
}
