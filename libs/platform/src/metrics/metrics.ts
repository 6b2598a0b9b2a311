import type * as PromClient from 'prom-client';
import { VERSION } from '../version.js';

/** The values that each label may have: what is not listed here cannot become a series. */
type LabelValues = Record<string, readonly string[]>;

/**
 * What this process measures, in the words of Prometheus; also its injection token, null without METRICS_PORT. No label
 * ever holds an id or a URL (requirement CO-05).
 */
export class Metrics {
  private readonly registry: PromClient.Registry;

  private constructor(private readonly client: typeof PromClient) {
    this.registry = new client.Registry();
    client.collectDefaultMetrics({ register: this.registry });
  }

  /** Loads the client, which a process that nobody scrapes is spared. */
  static async load(): Promise<Metrics> {
    return new Metrics(await import('prom-client'));
  }

  /** What a scrape is answered with. */
  get contentType(): string {
    return this.registry.contentType;
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }

  /** Says which program this is: no series of it means that none runs. */
  registerBuildInfo(service: string): void {
    const help = 'Always 1. The labels contain the service and its version.';
    this.createGauge('gatehouse_build_info', help, ['service', 'version']).set(
      { service, version: VERSION },
      1,
    );
  }

  /** A count that only grows. Every series is there from the start, at 0, so that the first increase is seen. */
  counter(name: string, help: string, labels: LabelValues): PromClient.Counter {
    const counter = new this.client.Counter({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: [this.registry],
    });
    for (const combination of labelCombinations(labels)) counter.inc(combination, 0);
    return counter;
  }

  /** @param buckets upper bounds, in seconds */
  histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): PromClient.Histogram {
    return new this.client.Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  /** A value that is read when it is asked for. While `read` answers null or fails, there is no series. */
  gauge(name: string, help: string, read: () => number | null | Promise<number | null>): void {
    const gauge = this.createGauge(name, help, [], async () => {
      gauge.remove();
      try {
        const value = await read();
        if (value !== null) gauge.set(value);
      } catch {
        // Absent is the answer: a wrong value would be believed.
      }
    });
  }

  private createGauge(
    name: string,
    help: string,
    labelNames: string[],
    collect?: () => Promise<void>,
  ): PromClient.Gauge {
    return new this.client.Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect ? { collect } : {}),
    });
  }
}

function labelCombinations(labels: LabelValues): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (before, [label, values]) =>
      before.flatMap((rest) => values.map((value) => ({ ...rest, [label]: value }))),
    [{}],
  );
}
