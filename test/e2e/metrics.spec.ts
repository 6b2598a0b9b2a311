import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { listeningPorts } from '../support/listening-ports.js';
import { TestInstance } from '../support/test-instance.js';

describe('the folder ops/', () => {
  it('contains a JSON dashboard in which each panel has a query', async () => {
    const { panels } = JSON.parse(await readFile('ops/grafana/gatehouse.json', 'utf8')) as {
      panels: { id: number; type: string; targets?: { expr: string }[] }[];
    };
    const queryPanels = panels.filter(({ type }) => type !== 'row');
    expect(
      queryPanels.filter(({ targets = [] }) => targets.length === 0 || targets.some(({ expr }) => !expr)),
    ).toEqual([]);
  });

  it('contains YAML alert rules, each with a description', async () => {
    const text = await readFile('ops/prometheus/alerts.yml', 'utf8');
    expect(load(text)).toEqual({ groups: expect.any(Array) });
    const rules = text.split(/^ {6}- alert: /m).slice(1);
    expect(rules.length).toBeGreaterThan(5);
    for (const rule of rules) {
      expect(rule).toMatch(/^ {8}expr: \S/m);
      expect(rule).toMatch(/^ {10}severity: (warning|critical)$/m);
      expect(rule).toMatch(/^ {10}summary: \S/m);
      expect(rule).toMatch(/^ {10}description: \S/m);
    }
  });
});

describe('an installation without METRICS_PORT', () => {
  it('CO-05: does not open another port', async () => {
    const instance = await TestInstance.startShared();
    try {
      expect(await listeningPorts(instance.api.pid)).toEqual([Number(instance.env['PORT'])]);
      expect(await listeningPorts(instance.workers[0]!.pid)).toEqual([]);
      expect((await fetch(`${instance.baseUrl}/metrics`)).status).toBe(404);
    } finally {
      await instance.stop();
    }
  });
});
