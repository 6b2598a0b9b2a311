import * as setting from './setting.js';

/** The settings for traces. OpenTelemetry defines the names that begin with OTEL_. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting.baseUrl({
    doc: 'Base URL of an OpenTelemetry collector that receives traces over OTLP (http/protobuf), such as http://127.0.0.1:4318. If it is not set, no traces are recorded. The other OTEL_* variables for OTLP over HTTP, resources, batches and limits also apply.',
    fallback: null,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting.text({
    doc: 'Headers for the collector, such as authorization=Bearer%20abc, separated by commas.',
    fallback: null,
    secret: true,
  }),
  OTEL_TRACES_SAMPLER: setting.choice(
    {
      doc: 'Which new traces are recorded: all, none, or a share of them (traceidratio). Either all or no spans of a trace are recorded, so the values with parentbased_ have the same meaning as the values without it.',
      fallback: 'parentbased_always_on',
    },
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ] as const,
  ),
  OTEL_TRACES_SAMPLER_ARG: setting.ratio({
    doc: 'Share of new traces that the traceidratio samplers record, from 0 to 1.',
    fallback: 1,
  }),
  OTEL_SDK_DISABLED: setting.choice({ doc: 'true turns traces off.', fallback: 'false' }, [
    'true',
    'false',
  ] as const),
  TRUST_TRACEPARENT: setting.onOff({
    doc: "Let clients decide whether the trace of a request is recorded, with the sampled flag in the traceparent header. Turn it on only if a proxy sets or removes this header in every request. Gatehouse always continues the client's trace.",
    fallback: false,
  }),
};
