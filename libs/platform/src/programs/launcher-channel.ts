import type { Metrics } from '../metrics/metrics.js';

/** The request for the webhook-worker's metrics, which the launcher forwards to the worker. */
const REQUEST = 'metrics';

/** The webhook-worker's response. */
interface MetricsMessage {
  metrics: string | null;
}

/** Time to wait for the response, in ms. */
const TIMEOUT_MS = 5_000;

const isResponse = (message: unknown): message is MetricsMessage =>
  typeof message === 'object' && message !== null && 'metrics' in message;

/** Sends this process's metrics to the launcher whenever it requests them. */
export function sendMetricsOnRequest(metrics: Metrics): void {
  process.on('message', (message) => {
    if (message !== REQUEST) return;
    void metrics
      .render()
      .catch(() => null)
      .then((text) => send({ metrics: text }));
  });
}

/** The pending request, if any. There is only one at a time, because responses do not identify their request. */
let pending: Promise<string | null> | undefined;

/**
 * Requests the metrics of the webhook-worker that was started by the same launcher. Returns null if there is no
 * launcher or no running worker. Concurrent calls share one request.
 */
export async function requestWorkerMetrics(): Promise<string | null> {
  if (!process.connected) return null;
  pending ??= sendRequest().finally(() => (pending = undefined));
  return pending;
}

function sendRequest(): Promise<string | null> {
  return new Promise((resolve) => {
    const finish = (text: string | null): void => {
      clearTimeout(timer);
      process.off('message', receive);
      resolve(text);
    };
    const receive = (message: unknown): void => {
      if (isResponse(message)) finish(message.metrics);
    };
    const timer = setTimeout(() => finish(null), TIMEOUT_MS);
    process.on('message', receive);
    send(REQUEST);
  });
}

/** Notifies the launcher that this process is ready. */
export const notifyLauncher = (): void => send('ready');

/** Notifies the launcher that this process is waiting for PostgreSQL, which does not count as a slow start. */
export const notifyLauncherOfWait = (): void => send('waiting');

/**
 * Sends a message to the launcher, if there is one. Errors are ignored, because this process stops when the launcher
 * exits.
 */
function send(message: string | MetricsMessage): void {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
}
