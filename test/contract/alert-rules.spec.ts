import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { run } from '../../scripts/processes.mjs';

const RULES = 'ops/prometheus/alerts.yml';
const TESTS = 'test/contract/alert-rules.yml';

/** promtool is part of Prometheus (Debian package `prometheus`). */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) process.stderr.write('The alert rules are not tested: promtool is not on the PATH\n');

async function promtool(...args: string[]): Promise<string> {
  const { code, output } = await run('promtool', args);
  if (code !== 0) throw new Error(output);
  return output;
}

describe('the alert rules', () => {
  it('each fire in a test', async () => {
    const { groups } = load(await readFile(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
    const { tests } = load(await readFile(TESTS, 'utf8')) as {
      tests: { promql_expr_test: { exp_samples: { labels: string }[] }[] }[];
    };
    const firing = tests
      .flatMap(({ promql_expr_test: queries }) => queries.flatMap(({ exp_samples: samples }) => samples))
      .map(({ labels }) => /alertname="(\w+)"/.exec(labels)![1]!);
    const defined = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect([...new Set(firing)].sort()).toEqual(defined.sort());
  });

  (hasPromtool ? it : it.skip)('are valid and fire exactly as their tests expect', async () => {
    expect(await promtool('check', 'rules', RULES)).toContain('SUCCESS');
    expect(await promtool('test', 'rules', TESTS)).toContain('SUCCESS');
  });
});

(hasPromtool ? it : it.skip)('the Grafana dashboard contains only valid queries', async () => {
  const { panels } = JSON.parse(await readFile('ops/grafana/gatehouse.json', 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const rules = queries.map((expr, index) => ({
    record: `query_${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }));
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-dashboard-'));
  try {
    const file = join(folder, 'queries.yml');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(await promtool('check', 'rules', file)).toContain(`SUCCESS: ${queries.length} rules`);
  } finally {
    await rm(folder, { recursive: true });
  }
});
