import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { clientOf, type Client, type HouseRequest } from './request-context.js';

/** The client that waits for the answer. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client =>
  clientOf(context.switchToHttp().getRequest<HouseRequest>()),
);
