import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { getClient, type Client, type GatehouseRequest } from './request-context.js';

/** Injects the request's client. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client =>
  getClient(context.switchToHttp().getRequest<GatehouseRequest>()),
);
