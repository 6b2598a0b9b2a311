import { SetMetadata, type ExecutionContext } from '@nestjs/common';

const SKIP_INTERCEPTORS = Symbol('skip interceptors');

/** Makes the audit and idempotency interceptors skip the route. */
export const SkipInterceptors = (): MethodDecorator => SetMetadata(SKIP_INTERCEPTORS, true);

/** Returns true on a route with `@SkipInterceptors()`. */
export const skipsInterceptors = (context: ExecutionContext): boolean =>
  Reflect.hasMetadata(SKIP_INTERCEPTORS, context.getHandler());
