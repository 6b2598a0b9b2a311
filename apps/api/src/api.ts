import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { ApiMetrics, MetricsServer, NestLogger, type Config, type Logger } from '@gatehouse/platform';
import { ApiModule } from './api.module.js';
import { StartupService } from './bootstrap/startup.service.js';
import { consoleFiles } from './console/console-files.js';
import { bodyReader } from './http/body-reader.js';
import { corsMiddleware } from './http/cors.js';
import { createHttpServer, drain } from './http/http-server.js';
import { Readiness } from './http/readiness.js';
import { requestContext } from './http/request-context.js';
import { routeGate } from './http/route-gate.js';
import { securityHeaders } from './http/security-headers.js';
import { buildOpenApi, type Audience } from './reference/openapi.js';

/** A running api. */
export interface Api {
  express: Express;
  app: NestExpressApplication;
  /** Listens at once, then brings the house up. @throws Error when the port is taken */
  start(): Promise<void>;
  /** Lets requests in hand finish, then closes everything. */
  stop(): Promise<void>;
}

/** Paths that answer while the house is still coming up. */
const startupPaths = /^\/(|livez|readyz|(operator\/)?openapi\.json|(docs|console)(\/.*)?)$/;

/** Builds the api. `rootModule` is for tests that look at how it is put together. */
export async function createApi(
  config: Config,
  logger: Logger,
  rootModule: unknown = ApiModule.for(config, logger),
): Promise<Api> {
  const server = express();
  server.disable('x-powered-by');
  // Nothing may be cached, so a hash of every body would serve nobody.
  server.disable('etag');
  server.set('query parser', 'simple');
  server.set('trust proxy', config.http.trustedProxies);
  server.set('case sensitive routing', true);
  server.set('strict routing', true);
  const app = await NestFactory.create<NestExpressApplication>(
    rootModule as Type,
    new ExpressAdapter(server),
    {
      bodyParser: false,
      abortOnError: false,
      logger: new NestLogger(logger),
    },
  );
  const readiness = app.get(Readiness);
  app.use(requestContext(logger, app.get(ApiMetrics)), securityHeaders, corsMiddleware());
  app.use(readinessGate(readiness));
  if (config.console) app.use(consoleFiles());
  app.use(routeGate(server), ...bodyReader());
  if (config.docs) serveOpenApi(app, server, '/openapi.json', 'public');
  if (config.docs && config.console) serveOpenApi(app, server, '/operator/openapi.json', 'operator');
  await app.init();

  const http = createHttpServer(server, config.publicUrl);
  return {
    express: server,
    app,
    start: async () => {
      await new Promise<void>((resolve, reject) => {
        http.once('error', reject).listen(config.http.port, config.http.host, resolve);
      });
      app.get(MetricsServer).start();
      await app.get(StartupService).start();
    },
    stop: async () => {
      readiness.draining = true;
      await drain(http);
      await app.close();
      app.get(MetricsServer).stop();
    },
  };
}

/** Refuses work before the house is up, and tells clients to leave while it closes. */
function readinessGate(readiness: Readiness) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (readiness.draining) response.setHeader('Connection', 'close');
    if (!startupPaths.test(request.path)) readiness.assertStarted();
    next();
  };
}

/** Builds the document at its first request; building it at startup would slow every process down. */
function serveOpenApi(app: NestExpressApplication, server: Express, path: string, audience: Audience): void {
  let document: string | undefined;
  server.get(path, (_request, response) => {
    document ??= JSON.stringify(buildOpenApi(app, audience));
    response.type('json').send(document);
  });
}
