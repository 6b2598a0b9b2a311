import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest } from './credential.guard.js';
import type { Caller } from './caller.js';

/** The caller that the guard let in; a handler's parameter names the kinds that its route takes. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | undefined => {
    return context.switchToHttp().getRequest<AuthenticatedRequest>().caller;
  },
);
