import { ApiMetrics } from './api-metrics.js';
import { Metrics } from './metrics.js';
import { WorkerMetrics } from './worker-metrics.js';

const linesOf = async (metrics: Metrics, name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name));

describe('Metrics', () => {
  it('a counter has every series from the start', async () => {
    const metrics = await Metrics.load();
    metrics.counter('gatehouse_x_total', 'X.', { a: ['1', '2'], b: ['3', '4'] }).inc({ a: '1', b: '4' });
    metrics.counter('gatehouse_y_total', 'Y.', {});
    expect(await linesOf(metrics, 'gatehouse_x_total')).toEqual([
      'gatehouse_x_total{a="1",b="3"} 0',
      'gatehouse_x_total{a="1",b="4"} 1',
      'gatehouse_x_total{a="2",b="3"} 0',
      'gatehouse_x_total{a="2",b="4"} 0',
    ]);
    expect(await linesOf(metrics, 'gatehouse_y_total')).toEqual(['gatehouse_y_total 0']);
  });

  it('a gauge that cannot be read is absent, not 0, and costs no other one', async () => {
    const metrics = await Metrics.load();
    let read: () => number | null | Promise<number> = () => 7;
    metrics.gauge('gatehouse_x', 'X.', () => read());
    metrics.gauge('gatehouse_y', 'Y.', () => 1);
    expect(await linesOf(metrics, 'gatehouse_x')).toEqual(['gatehouse_x 7']);
    for (const fails of [
      () => null,
      () => Promise.reject(new Error('away')),
      () => {
        throw new Error('broken');
      },
    ]) {
      read = fails;
      expect(await linesOf(metrics, 'gatehouse_x')).toEqual([]);
      expect(await linesOf(metrics, 'gatehouse_y')).toEqual(['gatehouse_y 1']);
    }
    read = () => 0;
    expect(await linesOf(metrics, 'gatehouse_x')).toEqual(['gatehouse_x 0']);
  });

  it('two of them in one process share nothing', async () => {
    const [one, other] = [await Metrics.load(), await Metrics.load()];
    new ApiMetrics(one).login('success');
    new ApiMetrics(other);
    expect(await linesOf(one, 'gatehouse_logins_total{result="success"}')).toEqual([
      'gatehouse_logins_total{result="success"} 1',
    ]);
    expect(await linesOf(other, 'gatehouse_logins_total{result="success"}')).toEqual([
      'gatehouse_logins_total{result="success"} 0',
    ]);
  });
});

describe('ApiMetrics', () => {
  it('CO-05: what no route matched, and methods that nobody knows, are one series each', async () => {
    const metrics = await Metrics.load();
    const api = new ApiMetrics(metrics);
    api.requestEnded(null, 'GET', 404, 3);
    api.requestEnded(null, 'BREW', 405, 3);
    api.requestEnded(null, 'PROPFIND', 405, 3);
    api.requestEnded('/api/v1/me', 'GET', null, 3);
    api.requestEnded('/api/v1/me', 'GET', 204, 3);
    expect(await linesOf(metrics, 'gatehouse_http_request_duration_seconds_count')).toEqual([
      'gatehouse_http_request_duration_seconds_count{route="none",method="GET",status="4xx"} 1',
      'gatehouse_http_request_duration_seconds_count{route="none",method="other",status="4xx"} 2',
      'gatehouse_http_request_duration_seconds_count{route="/api/v1/me",method="GET",status="aborted"} 1',
      'gatehouse_http_request_duration_seconds_count{route="/api/v1/me",method="GET",status="2xx"} 1',
    ]);
  });
});

describe('WorkerMetrics', () => {
  const result = { httpStatus: 0, success: false, durationMs: 40, responseBody: '', retryAfter: null };

  it('times first attempts alone, and none of a batch', async () => {
    const metrics = await Metrics.load();
    const worker = new WorkerMetrics(metrics);
    worker.attemptBegun({ attempt: 1, urgency: 0, ageMs: 20 });
    worker.attemptBegun({ attempt: 2, urgency: 1, ageMs: 15_000 });
    worker.attemptBegun({ attempt: 1, urgency: 2, ageMs: 90_000 });
    expect(await linesOf(metrics, 'gatehouse_webhook_first_attempt_delay_seconds_sum')).toEqual([
      'gatehouse_webhook_first_attempt_delay_seconds_sum 0.02',
    ]);
  });

  it('an attempt of a lost worker is counted as a repair, and its duration is not believed', async () => {
    const metrics = await Metrics.load();
    const worker = new WorkerMetrics(metrics);
    worker.attemptClosed(2, { ...result, error: 'worker_lost' });
    worker.attemptClosed(1, { ...result, error: 'timeout' });
    const lines = await linesOf(metrics, 'gatehouse_');
    expect(lines).toContain('gatehouse_webhook_attempts_total{result="worker_lost",attempt="2"} 1');
    expect(lines).toContain('gatehouse_webhook_attempts_total{result="timeout",attempt="1"} 1');
    expect(lines).toContain('gatehouse_sweeper_repairs_total{kind="worker_lost"} 1');
    expect(lines).toContain('gatehouse_webhook_attempt_duration_seconds_count 1');
  });
});
