import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { CredentialGuard } from '@gatehouse/auth';
import { ApiMetrics, Config, LOGGER, Metrics, RateLimiter, type Logger } from '@gatehouse/platform';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { InputPipe } from './input/input.pipe.js';
import { OriginGuard } from './origin.guard.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { RateLimitGuard, RateLimits } from './limits/rate-limit.js';
import { Readiness } from './readiness.js';
import { RequestMemoryGuard } from './bodies/request-memory.guard.js';
import { RequestMemoryInterceptor } from './bodies/request-memory.interceptor.js';
import { RequestMemory } from './bodies/request-memory.js';
import { RequestLanguages } from './request-languages.js';
import { StrayInputGuard } from './input/stray-input.guard.js';
import { UntrustedForwards } from './untrusted-forwards.js';

/** The services that other modules use. */
const services = [
  IdempotencyInterceptor,
  IdempotencyService,
  RateLimits,
  Readiness,
  RequestLanguages,
  RequestMemoryInterceptor,
  UntrustedForwards,
];

/** The components that all routes share: guards, input validation, errors, rate limits and idempotency. */
@Module({
  providers: [
    ...services,
    RequestMemory,
    {
      provide: ApiMetrics,
      useFactory: (metrics: Metrics | null) => metrics && new ApiMetrics(metrics),
      inject: [Metrics],
    },
    {
      provide: RateLimiter,
      useFactory: (config: Config, logger: Logger) => RateLimiter.load(config.redis, logger),
      inject: [Config, LOGGER],
    },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useFactory: () => new InputPipe() },
    // The order is fixed by the contract (section 2): credential, origin, rate limit, input.
    { provide: APP_GUARD, useExisting: CredentialGuard },
    { provide: APP_GUARD, useClass: OriginGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: RequestMemoryGuard },
    { provide: APP_GUARD, useClass: StrayInputGuard },
  ],
  exports: [...services, ApiMetrics, RateLimiter],
})
export class HttpModule {}
