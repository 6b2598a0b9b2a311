import { UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { GatehouseRequest } from '../request-context.js';

/** Holds import and export memory for each request to a route, after authentication. */
export const BulkMemory = (bytes: number): MethodDecorator => UseGuards(new BulkMemoryGuard(bytes));

class BulkMemoryGuard implements CanActivate {
  constructor(private readonly bytes: number) {}

  /** @throws GatehouseError `overloaded` */
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<GatehouseRequest>().memory?.holdBulk(this.bytes);
    return true;
  }
}
