import type { TracingConfig } from '../config/tracing-config.js';
import type { NewSpan, Span, Tracing } from './tracing.js';

/** This process's traces; null without OTEL_EXPORTER_OTLP_ENDPOINT. */
export let tracing: Tracing | null = null;

/**
 * Starts to record traces. A process without OTEL_EXPORTER_OTLP_ENDPOINT never loads the OpenTelemetry packages
 * (docs/adr/0059-opentelemetry.md).
 * @param onExportError called when spans could not be exported
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
 * @param describe returns the span's properties; not called if the process records no traces
 * @param work called with null in this case
 */
export const runInSpan = <Result>(
  describe: () => NewSpan,
  work: (span: Span | null) => Promise<Result>,
  traceparent?: string | null,
): Promise<Result> => (tracing ? tracing.run(describe(), work, traceparent) : work(null));

/** Returns a function that runs in the current code's trace, for an event listener. */
export const bindToTrace = <Listener extends (...args: never[]) => unknown>(listener: Listener): Listener =>
  tracing ? tracing.bind(listener) : listener;
