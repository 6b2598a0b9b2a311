import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.js';
import { errorCode, errorMessage } from '../runtime/errors.js';
import { RequestQueue } from '../http/request-queue.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from './metrics.js';

/** Interval in ms between attempts to listen on a port that is in use. */
const RETRY_MS = 5_000;

/** Maximum number of connections. Monitoring and a load balancer require far fewer. */
const MAX_CONNECTIONS = 200;

/** The health of a process and the installation's components. */
export interface HealthReport {
  /** `ready` only if each component is `ok` or `not_configured`. */
  status: string;
  components: Record<string, string>;
}

/** Functions that return the health from memory. They are called for each request. */
interface Probes {
  readHealth: () => HealthReport;
  /** Only for a process without another port. Returns `unavailable` only if the process cannot work. */
  readReadiness?: () => string;
}

/** Returns the HTTP status for a report: 503 if it contains a problem. */
export const healthStatusCode = ({ status }: HealthReport): number => (status === 'ready' ? 200 : 503);

/**
 * Serves `/metrics` and `/healthz` on a separate port (requirement CO-05), and `/livez` and `/readyz` for a process
 * without another port. Serves nothing without METRICS_PORT.
 */
export class MetricsServer {
  private server: Server | undefined;
  private retryTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics | null,
    private readonly logger: Logger,
  ) {}

  /**
   * Starts listening. Returns immediately and never throws, because a process must run even if its metrics are
   * unavailable.
   */
  start({ readHealth, readReadiness }: Probes): void {
    const { metrics } = this;
    const { http, metrics: settings } = this.config;
    if (!metrics || settings.port === null || this.server) return;
    const listen = { host: http.host, port: settings.port };
    const server = createServer({ requestTimeout: 10_000 });
    server.maxConnections = MAX_CONNECTIONS;
    const queue = new RequestQueue((request, response) => {
      const path = ['GET', 'HEAD'].includes(request.method!) ? request.url : undefined;
      if (path === '/metrics') void this.sendMetrics(metrics, response);
      else if (path === '/healthz') {
        const report = readHealth();
        sendJson(response, healthStatusCode(report), report);
      } else if (path === '/livez' && readReadiness) sendJson(response, 200, { status: 'ok' });
      else if (path === '/readyz' && readReadiness) {
        const status = readReadiness();
        sendJson(response, status === 'unavailable' ? 503 : 200, { status });
      } else response.writeHead(404).end();
    });
    server.on('request', queue.handle);
    let isReported = false;
    server.on('error', (error) => {
      if (server.listening) return;
      if (!isReported)
        this.logger.error({ ...listen, code: errorCode(error) }, 'metrics server failed to listen');
      isReported = true;
      this.retryTimer = setTimeout(() => server.listen(listen), RETRY_MS).unref();
    });
    server.on('listening', () => this.logger.info(listen, 'metrics server listening'));
    this.server = server.listen(listen);
  }

  stop(): void {
    clearTimeout(this.retryTimer);
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async sendMetrics(metrics: Metrics, response: ServerResponse): Promise<void> {
    try {
      const body = await metrics.render();
      response.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }).end(body);
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, 'metrics collection failed');
      response.writeHead(500).end();
    }
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}
