import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { readDeferredBody } from './body-reader.js';

/**
 * Reads a body whose reading was deferred until after authentication: a guard of a route runs after the
 * guards of all routes.
 */
@Injectable()
export class LateBodyGuard implements CanActivate {
  /** @throws GatehouseError `payload_too_large`, `invalid_json` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await readDeferredBody(context.switchToHttp().getRequest<Request>());
    return true;
  }
}
