import type * as PromClient from 'prom-client';
import { droppedLogLines } from '../logging/logger.js';
import { VERSION } from '../runtime/version.js';

/** The gauge, in both programs, for whether a process has started and is not stopping. */
export const READY_METRIC = 'gatehouse_ready';
export const READY_HELP =
  '1 while this process does its work; 0 while it waits for its database, starts or stops.';

/** Each label's possible values. Other values never become a series. */
type LabelValues = Record<string, readonly string[]>;

/**
 * This process's Prometheus metrics. The class is also their injection token. Its value is null if the process serves
 * no metrics. Labels never contain an id or a URL (requirement CO-05).
 */
export class Metrics {
  private readonly registry: PromClient.Registry;
  private pendingText: Promise<string> | undefined;

  private constructor(private readonly client: typeof PromClient) {
    this.registry = new client.Registry();
    client.collectDefaultMetrics({ register: this.registry });
  }

  /** Loads the Prometheus client. A process that serves no metrics never loads it. */
  static async load(): Promise<Metrics> {
    return new Metrics(await import('prom-client'));
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Returns the response to a scrape. Concurrent scrapes share it. */
  render(): Promise<string> {
    this.pendingText ??= this.registry.metrics().finally(() => (this.pendingText = undefined));
    return this.pendingText;
  }

  /** Adds a series that identifies this program. A service without such a series has no running process. */
  registerBuildInfo(service: string): void {
    const help = 'Always 1. The labels contain the service and its version.';
    this.createGauge('gatehouse_build_info', help, ['service', 'version']).set(
      { service, version: VERSION },
      1,
    );
  }

  /** Adds a counter for dropped log lines, which the log cannot report while standard output is full. */
  registerDroppedLogLines(): void {
    const counter = new this.client.Counter({
      name: 'gatehouse_log_lines_dropped_total',
      help: 'Log lines that were lost because standard output did not accept them.',
      registers: [this.registry],
      collect: () => {
        counter.reset();
        counter.inc(droppedLogLines());
      },
    });
  }

  /** Creates a counter. Every series starts at 0, so that Prometheus detects the first increase. */
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

  /**
   * Creates a histogram.
   * @param buckets upper bounds in seconds
   */
  histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): PromClient.Histogram {
    return new this.client.Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  /** Creates a gauge whose value is read on each scrape. There is no series while `read` returns null or fails. */
  gauge(name: string, help: string, read: () => number | null | Promise<number | null>): void {
    const gauge = this.createGauge(name, help, [], async () => {
      gauge.remove();
      try {
        const value = await read();
        if (value !== null) gauge.set(value);
      } catch {
        // A missing series is better than a wrong value.
      }
    });
  }

  /**
   * Creates a gauge with one series per label value: 1 for the current value, and 0 for the others. There is no series
   * if `read` returns undefined.
   */
  states(name: string, help: string, labels: LabelValues, read: () => string | null | undefined): void {
    const [[label, values]] = Object.entries(labels) as [[string, readonly string[]]];
    const gauge = this.createGauge(name, help, [label], () => {
      const current = read();
      if (current === undefined) return;
      for (const value of values) gauge.set({ [label]: value }, Number(value === current));
    });
  }

  private createGauge(
    name: string,
    help: string,
    labelNames: string[],
    collect?: () => void | Promise<void>,
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
    (combinations, [label, values]) =>
      combinations.flatMap((rest) => values.map((value) => ({ ...rest, [label]: value }))),
    [{}],
  );
}
