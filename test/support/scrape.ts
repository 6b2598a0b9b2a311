/** One sample in the Prometheus text format. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** A process's metrics, from its METRICS_PORT. */
export class Scrape {
  private constructor(readonly text: string) {}

  static async load(port: number | string): Promise<Scrape> {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    if (!response.ok) throw new Error(`/metrics returned ${response.status}`);
    return new Scrape(await response.text());
  }

  get samples(): Sample[] {
    return [...this.text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels, value]) => ({
      name: name!,
      labels: Object.fromEntries(
        [...(labels ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]),
      ) as Record<string, string>,
      value: Number(value),
    }));
  }

  /** The metric names that a query can use. */
  get names(): Set<string> {
    const types = [...this.text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
    return new Set(
      types.flatMap(([, name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
      ),
    );
  }

  /** Returns the sum of all samples with a name and these labels, or null if there are none. */
  value(name: string, labels: Record<string, string> = {}): number | null {
    const found = this.samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
  }
}
