import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { parseKeyPairsIntoRecord, parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace-node';
import { monotonicMs } from '../clock/clock.js';
import type { TracingConfig } from '../config/tracing-config.js';
import { errorCode } from '../runtime/errors.js';
import { VERSION } from '../runtime/version.js';

/** Minimum time between two reports of failed exports, in ms. */
const REPORT_INTERVAL_MS = 60_000;

/** A span's name and properties. They must not contain a secret, an email address or a row value. */
export interface NewSpan {
  name: string;
  kind: keyof typeof SpanKind;
  attributes?: Attributes;
  /** Default: now. */
  startTime?: Date;
}

export type { Context, Span };

/** Records a process's traces and sends them to the OTLP endpoint in the background. */
export class Tracing {
  private readonly rootSampler: Sampler;
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;
  private readonly ids = new RandomIdGenerator();

  constructor(
    private readonly config: TracingConfig,
    service: string,
    onExportError: (error: unknown) => void,
  ) {
    this.rootSampler = createRootSampler(config);
    const headers = parseKeyPairsIntoRecord(config.headers ?? undefined);
    this.provider = new NodeTracerProvider({
      sampler: new ParentBasedSampler({ root: this.rootSampler }),
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': `gatehouse-${service}`, 'service.version': VERSION }))
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ headers }))],
    });
    this.provider.register({ propagator: null });
    this.tracer = this.provider.getTracer('gatehouse', VERSION);
    let reportedAt = -Infinity;
    setGlobalErrorHandler((error) => {
      if (monotonicMs() - reportedAt < REPORT_INTERVAL_MS) return;
      reportedAt = monotonicMs();
      onExportError(error);
    });
  }

  /** The current context. Code that runs elsewhere can use it to add child spans. */
  get context(): Context {
    return context.active();
  }

  /** The `traceparent` header for the current span (W3C Trace Context), or undefined without a span. */
  get traceparent(): string | undefined {
    const current = trace.getActiveSpan()?.spanContext();
    if (!current || !isSpanContextValid(current)) return undefined;
    return `00-${current.traceId}-${current.spanId}-0${current.traceFlags & TraceFlags.SAMPLED}`;
  }

  /** A log line's trace fields, with the names that OpenTelemetry defines. */
  get logFields(): { trace_id?: string; span_id?: string } {
    const current = trace.getActiveSpan()?.spanContext();
    return current ? { trace_id: current.traceId, span_id: current.spanId } : {};
  }

  /**
   * Starts a request's span.
   * @param traceparent the request's header
   */
  startRequest(method: string, traceparent: unknown): Span {
    const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
    const parent =
      caller && !this.config.trustsCallers ? { ...caller, traceFlags: this.sampleNewTrace() } : caller;
    const attributes = { 'http.request.method': method };
    return this.start({ name: method, kind: 'SERVER', attributes }, toContext(parent));
  }

  /**
   * Starts a child span. Returns null if the parent is not recorded or has ended, so that work outside a trace does not
   * create spans.
   * @param parent default: the current span
   */
  startChild(span: NewSpan, parent = context.active()): Span | null {
    return trace.getSpan(parent)?.isRecording() ? this.start(span, parent) : null;
  }

  /** Records a child of the current span for work that has already finished. */
  record(span: NewSpan, endTime: Date): void {
    this.startChild(span)?.end(endTime);
  }

  /**
   * Runs `work` in a span.
   * @param traceparent the parent, or null to start a new trace; default: the current span
   */
  async run<Result>(
    span: NewSpan,
    work: (span: Span) => Promise<Result>,
    traceparent?: string | null,
  ): Promise<Result> {
    const parent =
      traceparent === undefined ? context.active() : toContext(traceparent && parseTraceParent(traceparent));
    const started = this.start(span, parent);
    try {
      return await this.runIn(started, () => work(started));
    } catch (error) {
      this.fail(started, errorCode(error) || (error instanceof Error ? error.name : '_OTHER'));
      throw error;
    } finally {
      started.end();
    }
  }

  /**
   * Marks a span as failed.
   * @param type the code of the error, never its message, which can contain row values and addresses
   */
  fail(span: Span, type: string): void {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }

  /** Runs `work` with a started span as the current one. */
  runIn<Result>(span: Span, work: () => Result): Result {
    return context.with(trace.setSpan(context.active(), span), work);
  }

  /** Binds a function to the current trace. */
  bind<Listener extends (...args: never[]) => unknown>(listener: Listener): Listener {
    return context.bind(context.active(), listener);
  }

  /** Sends the recorded spans and stops the export. */
  async shutdown(): Promise<void> {
    await this.provider.shutdown();
  }

  private start({ name, kind, attributes, startTime }: NewSpan, parent: Context): Span {
    const options: SpanOptions = { kind: SpanKind[kind] };
    if (attributes) options.attributes = attributes;
    if (startTime) options.startTime = startTime;
    return this.tracer.startSpan(name, options, parent);
  }

  /**
   * Decides whether a caller's trace is recorded. The decision does not depend on the trace id, which the caller
   * chooses.
   */
  private sampleNewTrace(): TraceFlags {
    const id = this.ids.generateTraceId();
    const { decision } = this.rootSampler.shouldSample(ROOT_CONTEXT, id, '', SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE;
  }
}

const toContext = (parent: SpanContext | '' | null): Context =>
  parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;

/** Returns the sampler for new traces. The spans of an existing trace always follow its decision. */
function createRootSampler({ sampler, samplerRatio }: TracingConfig): Sampler {
  if (sampler.endsWith('always_off')) return new AlwaysOffSampler();
  if (sampler.endsWith('always_on')) return new AlwaysOnSampler();
  return new TraceIdRatioBasedSampler(samplerRatio);
}
