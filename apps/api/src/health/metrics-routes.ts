import { timingSafeEqual } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { healthStatusCode, requestWorkerMetrics, sha256, type Metrics } from '@gatehouse/platform';
import type { Probes } from './probes.js';

interface MetricsRoutes {
  metrics: Metrics;
  probes: Probes;
  /** The value of METRICS_TOKEN. */
  token: string;
}

/**
 * Serves this process's health and metrics, and the metrics of the webhook-worker beside it, on the API port. This is
 * intended for platforms that route only one port to a container (METRICS_TOKEN).
 */
export function metricsRoutes(server: Express, { metrics, probes, token }: MetricsRoutes): void {
  const expected = sha256(`Bearer ${token}`);
  const serve = (path: string, send: (response: Response) => Promise<void> | void): void => {
    server.get(path, async (request: Request, response: Response) => {
      if (timingSafeEqual(sha256(request.headers.authorization ?? ''), expected)) await send(response);
      else response.status(401).set('WWW-Authenticate', 'Bearer').end();
    });
  };
  const serveMetrics = (path: string, read: () => Promise<string | null>): void =>
    serve(path, async (response) => {
      const text = await read();
      if (text === null) response.status(503).end();
      else response.set('Content-Type', metrics.contentType).end(text);
    });
  serveMetrics('/metrics', () => metrics.render());
  serveMetrics('/metrics/webhook-worker', requestWorkerMetrics);
  serve('/healthz', (response) => {
    const report = probes.readHealth();
    response.status(healthStatusCode(report)).json(report);
  });
}
