import { ApiMetrics } from './api-metrics.js';
import { Metrics } from './metrics.js';
import { WorkerMetrics } from './worker-metrics.js';

let metrics: Metrics;
beforeEach(async () => {
  metrics = await Metrics.load();
});
const renderSeries = async (name: string): Promise<string[]> =>
  (await metrics.render()).split('\n').filter((line) => line.startsWith(name));

it('exposes every series of a counter from the start', async () => {
  metrics.counter('gatehouse_x_total', 'X.', { a: ['1', '2'], b: ['3', '4'] }).inc({ a: '1', b: '4' });
  metrics.counter('gatehouse_y_total', 'Y.', {});
  expect(await renderSeries('gatehouse_')).toEqual([
    'gatehouse_x_total{a="1",b="3"} 0',
    'gatehouse_x_total{a="1",b="4"} 1',
    'gatehouse_x_total{a="2",b="3"} 0',
    'gatehouse_x_total{a="2",b="4"} 0',
    'gatehouse_y_total 0',
  ]);
});

it('exposes a series for each state of a gauge, or none without a state', async () => {
  let state: string | null | undefined;
  metrics.states('gatehouse_x', 'X.', { kind: ['a', 'b'] }, () => state);
  expect(await renderSeries('gatehouse_')).toEqual([]);
  state = 'b';
  expect(await renderSeries('gatehouse_')).toEqual(['gatehouse_x{kind="a"} 0', 'gatehouse_x{kind="b"} 1']);
  state = null;
  expect(await renderSeries('gatehouse_')).toEqual(['gatehouse_x{kind="a"} 0', 'gatehouse_x{kind="b"} 0']);
});

it('omits a gauge that cannot be read, and exposes the other metrics', async () => {
  let read: () => number | null | Promise<number> = () => 7;
  metrics.gauge('gatehouse_x', 'X.', () => read());
  metrics.gauge('gatehouse_y', 'Y.', () => 1);
  expect(await renderSeries('gatehouse_')).toEqual(['gatehouse_x 7', 'gatehouse_y 1']);
  for (const fails of [
    () => null,
    () => Promise.reject(new Error('unavailable')),
    () => {
      throw new Error('broken');
    },
  ]) {
    read = fails;
    expect(await renderSeries('gatehouse_')).toEqual(['gatehouse_y 1']);
  }
  read = () => 0;
  expect(await renderSeries('gatehouse_x')).toEqual(['gatehouse_x 0']);
});

it('CO-05: combines requests without a route and unknown methods into one series each', async () => {
  const api = new ApiMetrics(metrics);
  api.recordRequest(null, 'GET', 404, 3);
  api.recordRequest(null, 'BREW', 405, 3);
  api.recordRequest(null, 'PROPFIND', 405, 3);
  api.recordRequest('/api/v1/me', 'GET', null, 3);
  api.recordRequest('/api/v1/me', 'GET', 204, 3);
  const name = 'gatehouse_http_request_duration_seconds_count';
  expect(await renderSeries(name)).toEqual([
    `${name}{route="none",method="GET",status="4xx"} 1`,
    `${name}{route="none",method="other",status="4xx"} 2`,
    `${name}{route="/api/v1/me",method="GET",status="aborted"} 1`,
    `${name}{route="/api/v1/me",method="GET",status="2xx"} 1`,
  ]);
});

it('MQ-01: counts the emails that were not sent because of a limit, starting at 0', async () => {
  new ApiMetrics(metrics).recordLimitedMail('signUp', 'project_limit');
  const series = await renderSeries('gatehouse_mails_limited_total');
  expect(series).toContain('gatehouse_mails_limited_total{purpose="signUp",limit="project_limit"} 1');
  expect(series).toContain('gatehouse_mails_limited_total{purpose="passwordReset",limit="project_limit"} 0');
});

it('excludes bulk redeliveries from first attempts, and lost workers from durations', async () => {
  const worker = new WorkerMetrics(metrics);
  worker.recordAttemptStart({ attempt: 1, urgency: 0, ageMs: 20 });
  worker.recordAttemptStart({ attempt: 2, urgency: 1, ageMs: 15_000 });
  worker.recordAttemptStart({ attempt: 1, urgency: 2, ageMs: 90_000 });
  const result = { httpStatus: 0, success: false, durationMs: 40, responseBody: '', retryAfter: null };
  worker.recordAttemptResult(2, { ...result, error: 'worker_lost' });
  worker.recordAttemptResult(1, { ...result, error: 'timeout' });
  expect(await renderSeries('gatehouse_')).toEqual(
    expect.arrayContaining([
      'gatehouse_webhook_first_attempt_delay_seconds_sum 0.02',
      'gatehouse_webhook_attempts_total{result="worker_lost",attempt="2"} 1',
      'gatehouse_webhook_attempts_total{result="timeout",attempt="1"} 1',
      'gatehouse_sweeper_repairs_total{kind="worker_lost"} 1',
      'gatehouse_webhook_attempt_duration_seconds_count 1',
    ]),
  );
});
