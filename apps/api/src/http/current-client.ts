import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { getClient, type Client, type GatehouseRequest } from './request-context.js';

/** Injects the client of the request. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client =>
  getClient(context.switchToHttp().getRequest<GatehouseRequest>()),
);
