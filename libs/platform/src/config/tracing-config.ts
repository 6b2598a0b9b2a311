import type { SettingValues } from './settings.js';

/** The trace configuration. The OpenTelemetry packages read the other OTEL_* variables themselves. */
export interface TracingConfig {
  /** The OTEL_EXPORTER_OTLP_HEADERS value. */
  headers: string | null;
  sampler: SettingValues['OTEL_TRACES_SAMPLER'];
  /** The share of new traces that are recorded, from 0 to 1. */
  samplerRatio: number;
  /** True if a request's caller decides whether the trace is recorded. */
  trustsCallers: boolean;
}

/** Returns the trace configuration, or null if traces are off. */
export function tracingConfig(values: SettingValues): TracingConfig | null {
  if (values.OTEL_EXPORTER_OTLP_ENDPOINT === null || values.OTEL_SDK_DISABLED === 'true') return null;
  return {
    headers: values.OTEL_EXPORTER_OTLP_HEADERS,
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    trustsCallers: values.TRUST_TRACEPARENT,
  };
}
