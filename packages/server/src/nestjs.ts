import {
  ConfigurableModuleBuilder,
  createParamDecorator,
  HttpException,
  Inject,
  Injectable,
  Module,
  SetMetadata,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AccessTokenClaims } from './access-token-claims.js';
import type { AuthConditions } from './conditions.js';
import { createServer, type Gatehouse, type ServerOptions } from './create-server.js';
import { GatehouseError } from './gatehouse-error.js';
import { readBearerToken } from './access-token-verifier.js';
import { problemHeaders, type NodeRequest } from './respond.js';

/** Injection token for the client: `@Inject(GATEHOUSE) gatehouse: Gatehouse`. */
export const GATEHOUSE = Symbol('Gatehouse');

const CONDITIONS = Symbol('Gatehouse conditions');

type CustomerRequest = NodeRequest & { customer?: AccessTokenClaims };

/** Requires a second factor or recent authentication for a route or controller with `CustomerGuard`. */
export const Auth = (conditions: AuthConditions): CustomDecorator<symbol> =>
  SetMetadata(CONDITIONS, conditions);

/** Injects the access token's claims into a parameter of a route with `CustomerGuard`. */
export const Customer: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<CustomerRequest>().customer,
);

/** Accepts requests with a valid access token. Responds to all others like `requireCustomer()`. */
export class CustomerGuard implements CanActivate {
  private readonly reflector = new Reflector();

  constructor(private readonly gatehouse: Gatehouse) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const conditions = this.reflector.getAllAndOverride<AuthConditions | undefined>(CONDITIONS, targets);
    const http = context.switchToHttp();
    const request = http.getRequest<CustomerRequest>();
    try {
      const token = readBearerToken(String(request.headers['authorization'] ?? ''));
      request.customer = await this.gatehouse.verifyAccessToken(token, conditions);
      return true;
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      // Express and Fastify both have this method.
      const response = http.getResponse<{ header(name: string, value: string): unknown }>();
      for (const [name, value] of Object.entries(problemHeaders(error))) response.header(name, value);
      throw new HttpException(error.problem, error.status, { cause: error });
    }
  }
}
Injectable()(CustomerGuard);
Inject(GATEHOUSE)(CustomerGuard, undefined, 0);

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ServerOptions>()
  .setClassMethodName('forRoot')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();

const providers = [
  { provide: GATEHOUSE, useFactory: createServer, inject: [MODULE_OPTIONS_TOKEN] },
  CustomerGuard,
];

/**
 * Provides the client to all modules: `forRoot(options)`, or `forRootAsync({ imports, inject, useFactory })` if the
 * options come from another provider.
 */
export class GatehouseModule extends ConfigurableModuleClass {}
Module({ providers, exports: providers })(GatehouseModule);
