import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { clientOf, type Client, type GatehouseRequest } from './request-context.js';

/** The client that waits for the answer. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client =>
  clientOf(context.switchToHttp().getRequest<GatehouseRequest>()),
);
