import { SetMetadata, type ExecutionContext } from '@nestjs/common';

const SKIP_INTERCEPTORS = Symbol('skip interceptors');

/** Makes the audit and idempotency interceptors skip the route, or all of the controller's routes. */
export const SkipInterceptors = (): MethodDecorator & ClassDecorator => SetMetadata(SKIP_INTERCEPTORS, true);

/** Returns true if the route or its controller has `@SkipInterceptors()`. */
export const skipsInterceptors = (context: ExecutionContext): boolean =>
  [context.getHandler(), context.getClass()].some((target) => Reflect.hasMetadata(SKIP_INTERCEPTORS, target));
