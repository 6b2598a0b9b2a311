import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import {
  ApiMetrics,
  Metrics,
  MetricsServer,
  NestLogger,
  READY_HELP,
  READY_METRIC,
  type Config,
  type Logger,
} from '@gatehouse/platform';
import { ApiModule } from './api.module.js';
import { StartupService } from './bootstrap/startup.service.js';
import { consoleFiles } from './console/console-files.js';
import { bodyReader } from './http/bodies/body-reader.js';
import { isLoopback } from './http/client-address.js';
import { limitConnections, maxConnections } from './http/limits/connection-limits.js';
import { corsMiddleware } from './http/cors.js';
import { createHttpServer, drain } from './http/http-server.js';
import { Probes } from './health/probes.js';
import { Readiness } from './http/readiness.js';
import { requestContext } from './http/request-context.js';
import { RequestMemory } from './http/bodies/request-memory.js';
import { metricsRoutes } from './health/metrics-routes.js';
import { routeGate } from './http/route-gate.js';
import { securityHeaders } from './http/security-headers.js';
import { UntrustedForwards } from './http/untrusted-forwards.js';
import { buildOpenApi, type Audience } from './reference/openapi.js';

/** A running API process. */
export interface Api {
  express: Express;
  app: NestExpressApplication;
  /**
   * Listens first, then starts the services.
   * @throws Error if the port is in use
   */
  start(): Promise<void>;
  /** Waits for requests in progress, then closes all resources. */
  stop(): Promise<void>;
}

/** Paths that are served while the server is starting. */
const startupPaths =
  /^\/(|livez|readyz|healthz|metrics(\/webhook-worker)?|(operator\/)?openapi\.json|(docs|console)(\/.*)?)$/;

/** Creates the API process. Tests that inspect the module composition pass their own `rootModule`. */
export async function createApi(
  config: Config,
  logger: Logger,
  rootModule: unknown = ApiModule.forRoot(config, logger),
): Promise<Api> {
  const server = createExpress(config);
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
  app
    .get<Metrics, Metrics | null>(Metrics)
    ?.gauge(READY_METRIC, READY_HELP, () => Number(readiness.started && !readiness.draining));
  app.use(requestContext(logger, app.get(ApiMetrics)), app.get(UntrustedForwards).createMiddleware(logger));
  app.use(securityHeaders, corsMiddleware());
  app.use(readinessGate(readiness));
  if (config.console) app.use(consoleFiles());
  app.use(routeGate(server), ...bodyReader(app.get(RequestMemory).holdRequests()));
  if (config.docs) serveOpenApi(app, server, '/openapi.json', 'public');
  if (config.docs && config.console) serveOpenApi(app, server, '/operator/openapi.json', 'operator');
  const probes = app.get(Probes);
  const { token } = config.metrics;
  if (token) metricsRoutes(server, { metrics: app.get(Metrics), probes, token });
  await app.init();

  const http = createHttpServer(server, config.publicUrl, logger);
  const isTrusted = server.get('trust proxy fn') as (address: string, hop: number) => boolean;
  limitConnections(http, {
    maxConnections: maxConnections(config.http.requestMemory),
    isProxy: (address) => isTrusted(address, 0) || isLoopback(address),
    logger,
  });
  return {
    express: server,
    app,
    start: async () => {
      await new Promise<void>((resolve, reject) => {
        http.once('error', reject).listen(config.http.port, config.http.host, () => {
          http.off('error', reject);
          resolve();
        });
      });
      app.get(MetricsServer).start({ readHealth: () => probes.readHealth() });
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

function createExpress(config: Config): Express {
  const server = express();
  server.disable('x-powered-by');
  // Responses must not be cached, so an ETag for every body would be wasted work. `@ETag()` sets it for the few
  // resources that need one.
  server.disable('etag');
  server.set('query parser', 'simple');
  server.set('trust proxy', config.http.trustedProxies);
  server.set('case sensitive routing', true);
  server.set('strict routing', true);
  return server;
}

/** Rejects requests until the server has started, and sends `Connection: close` while it drains. */
function readinessGate(readiness: Readiness) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (readiness.draining) response.setHeader('Connection', 'close');
    if (!startupPaths.test(request.path)) readiness.assertStarted();
    next();
  };
}

/**
 * Serves the OpenAPI document. All responses share one buffer, which is built on the first request, because building it
 * at startup would delay the start of every process.
 */
function serveOpenApi(app: NestExpressApplication, server: Express, path: string, audience: Audience): void {
  let document: Buffer | undefined;
  server.get(path, (_request, response) => {
    document ??= Buffer.from(JSON.stringify(buildOpenApi(app, audience)));
    response.type('json').send(document);
  });
}
