import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from './credential.guard.js';
import type { Caller } from './caller.js';

/** Injects the caller that the guard accepted. The parameter type must match the credentials that the route accepts. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | undefined => {
    return context.switchToHttp().getRequest<AuthenticatedRequest>().caller;
  },
);
