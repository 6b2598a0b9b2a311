import type { TracingConfig } from '../config/tracing-config.js';
import type { NewSpan, Span, Tracing } from './tracing.js';

/** Null if traces are off. */
export let tracing: Tracing | null = null;

/**
 * Starts recording traces. A process without OTEL_EXPORTER_OTLP_ENDPOINT never loads the OpenTelemetry packages
 * (docs/adr/0059-opentelemetry.md).
 * @param onExportError called if spans cannot be exported
 */
export async function startTracing(
  config: TracingConfig,
  service: string,
  onExportError: (error: unknown) => void,
): Promise<void> {
  const { Tracing } = await import('./tracing.js');
  tracing = new Tracing(config, service, onExportError);
}

/**
 * Runs `work` in a span (`Tracing.run`).
 * @param describe returns the span properties; not called if traces are off
 * @param work called with null if traces are off
 */
export const runInSpan = <Result>(
  describe: () => NewSpan,
  work: (span: Span | null) => Promise<Result>,
  traceparent?: string | null,
): Promise<Result> => (tracing ? tracing.run(describe(), work, traceparent) : work(null));

/** Binds an event listener to the current trace. */
export const bindToTrace = <Listener extends (...args: never[]) => unknown>(listener: Listener): Listener =>
  tracing ? tracing.bind(listener) : listener;
