import { timingSafeEqual } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { requestWorkerMetrics, sha256, type Metrics } from '@gatehouse/platform';

/**
 * Serves the metrics of this process and of the webhook-worker beside it on the port of the API, for platforms
 * that route only one port to a container (METRICS_TOKEN).
 */
export function metricsRoutes(server: Express, metrics: Metrics, token: string): void {
  const expected = sha256(`Bearer ${token}`);
  const serve = (path: string, read: () => Promise<string | null>): void => {
    server.get(path, async (request: Request, response: Response) => {
      if (!timingSafeEqual(sha256(request.headers.authorization ?? ''), expected)) {
        response.status(401).set('WWW-Authenticate', 'Bearer').end();
        return;
      }
      const text = await read();
      if (text === null) response.status(503).end();
      else response.set('Content-Type', metrics.contentType).end(text);
    });
  };
  serve('/metrics', () => metrics.render());
  serve('/metrics/webhook-worker', requestWorkerMetrics);
}
