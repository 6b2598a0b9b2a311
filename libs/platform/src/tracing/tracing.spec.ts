import { OtlpReceiver } from '../../../../test/support/otlp-receiver.js';
import type { TracingConfig } from '../config/tracing-config.js';
import { Tracing } from './tracing.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const recorded = `00-${TRACE_ID}-${SPAN_ID}-01`;
const unrecorded = `00-${TRACE_ID}-${SPAN_ID}-00`;
/** A trace with the id that a ratio sampler accepts first. */
const lowest = `00-${'0'.repeat(31)}1-${SPAN_ID}-01`;

let otlp: OtlpReceiver;
let tracing: Tracing | undefined;
const started: Tracing[] = [];
beforeAll(async () => {
  otlp = await OtlpReceiver.start();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = otlp.url;
});
afterAll(async () => {
  await Promise.all(started.map((each) => each.shutdown()));
  await otlp.stop();
});

function start(options: Partial<TracingConfig>): Tracing {
  const config = { headers: null, sampler: 'always_on', samplerRatio: 1, trustsCallers: false } as const;
  tracing = new Tracing({ ...config, ...options }, 'test', () => undefined);
  started.push(tracing);
  return tracing;
}

/** Starts a request's span. Returns whether it is recorded, and its trace id. */
function request(options: Partial<TracingConfig>, traceparent?: string): [boolean, string] {
  const span = start(options).startRequest('GET', traceparent);
  return [span.isRecording(), span.spanContext().traceId];
}

describe("a caller's trace", () => {
  it('continues, but Gatehouse decides whether to record it', () => {
    expect(request({ sampler: 'always_off' }, recorded)).toEqual([false, TRACE_ID]);
    expect(request({ sampler: 'parentbased_always_off' }, recorded)).toEqual([false, TRACE_ID]);
    expect(request({ sampler: 'parentbased_always_on' }, unrecorded)).toEqual([true, TRACE_ID]);
    const ratio = { sampler: 'traceidratio', samplerRatio: 1e-9 } as const;
    expect(request(ratio, lowest)).toEqual([false, expect.stringMatching(/^0{31}1$/)]);
  });

  it("follows the caller's sampling decision with TRUST_TRACEPARENT", () => {
    const trust = { trustsCallers: true };
    expect(request({ ...trust, sampler: 'always_off' }, recorded)).toEqual([true, TRACE_ID]);
    expect(request({ ...trust, sampler: 'always_on' }, unrecorded)).toEqual([false, TRACE_ID]);
    expect(request({ ...trust, sampler: 'always_off' })[0]).toBe(false);
  });

  it.each([
    undefined,
    '',
    'x',
    `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `${recorded}, ${recorded}`,
  ])('is replaced with a new trace if the header is %j', (traceparent) => {
    const [isRecorded, traceId] = request({}, traceparent);
    expect(isRecorded).toBe(true);
    expect(traceId).not.toMatch(/^(0{32}|4bf92f35.*)$/);
  });
});

describe('the spans of a stored trace', () => {
  const span = { name: 'deliver webhook', kind: 'CONSUMER' } as const;

  it('follow the sampling decision of the request, and propagate it', async () => {
    for (const stored of [recorded, unrecorded])
      await start({ sampler: stored === recorded ? 'always_off' : 'always_on' }).run(
        span,
        async (current) => {
          expect(current.isRecording()).toBe(stored === recorded);
          expect(tracing!.logFields.trace_id).toBe(TRACE_ID);
          expect(tracing!.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-.{16}-${stored.slice(-2)}$`));
        },
        stored,
      );
  });

  it('start a new trace if none is stored, even within another trace', async () => {
    await start({}).run(
      span,
      () => tracing!.run(span, async () => expect(tracing!.logFields.trace_id).not.toBe(TRACE_ID), null),
      recorded,
    );
  });
});

it('does not create a span for a statement without a trace or after the trace has ended', async () => {
  const statement = { name: 'SELECT customers', kind: 'CLIENT' } as const;
  start({});
  expect(tracing!.startChild(statement)).toBeNull();
  expect(tracing!.traceparent).toBeUndefined();
  const ended = tracing!.startRequest('GET', undefined);
  tracing!.runIn(ended, () => {
    expect(tracing!.startChild(statement)).not.toBeNull();
    ended.end();
    expect(tracing!.startChild(statement)).toBeNull();
  });
});
