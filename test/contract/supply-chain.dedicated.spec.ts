import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sumTotals } from '../../scripts/check-totals.mjs';
import { findSecrets } from '../../scripts/find-secrets.mjs';
import { describeLicense, isAllowedLicense } from '../../scripts/licenses.mjs';

/** Runs Node.js. @returns the exit code and the output of both streams */
const runNode = (args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const options = { env: { ...process.env, NODE_OPTIONS: '', ...env } };
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode!, output: stdout + stderr }),
    );
  });

describe('SC-03: the software bill of materials', () => {
  const readNames = async (part: string): Promise<string[]> => {
    const bom = JSON.parse(await readFile(`dist/sbom/${part}.cdx.json`, 'utf8'));
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { version: expect.any(String) } },
    });
    const purls: string[] = bom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl));
    return purls.map((purl) => purl.slice('pkg:npm/'.length)).sort();
  };

  it('contains every distributed package and no development tool, each with an allowed license', async () => {
    const { code, output } = await runNode(['scripts/sbom.mjs']);
    expect([code, output]).toEqual([0, expect.stringMatching(/^\d+ packages in /)]);
    const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string; dev?: true; link?: true }>;
    };
    const runtime = Object.entries(lock.packages).filter(
      ([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link,
    );
    const programs = await readNames('programs');
    const published = await readNames('packages');
    const expected = runtime.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    expect([...new Set([...programs, ...published])].sort()).toEqual([...new Set(expected)].sort());
    expect(programs.filter((name) => /^(commander|papaparse)@/.test(name))).toEqual([]);
    const console = (await readNames('console')).join(' ');
    for (const name of ['react@', '@mantine/core@', 'react-router@']) expect(console).toContain(name);
    const dependencies = [
      ...[
        '@babel/helper-string-parser',
        '@babel/helper-validator-identifier',
        '@babel/parser',
        '@babel/types',
      ],
      ...['@streamparser/json', 'commander', 'jose', 'package-manager-detector', 'papaparse'],
    ];
    expect(published).toEqual(
      dependencies.map((name) => `${name}@${lock.packages[`node_modules/${name}`]!.version}`),
    );
    const licenses = (await readFile('dist/sbom/licenses.csv', 'utf8')).trim().split('\n');
    expect(licenses).toContainEqual(expect.stringMatching(/^busboy,[\d.]+,MIT$/));
    expect(licenses.filter((line) => !/^[^,]+,[^,]+,[^,]+$/.test(line))).toEqual([]);
  });

  it('requires a permissive license in one part of an OR, and in every part of an AND', () => {
    const allowed = ['MIT', '(MIT OR GPL-3.0-only)', 'GPL-3.0-only OR MIT', 'Apache-2.0 AND MIT'];
    const disallowed = [
      'GPL-3.0-only',
      'unknown',
      '',
      'MIT AND GPL-3.0-only',
      '(MIT OR X) AND Y',
      'MIT WITH X',
      'mit',
    ];
    expect([...allowed, ...disallowed].filter(isAllowedLicense)).toEqual(allowed);
    expect([{ name: 'x' }, { name: 'x', licenses: [] }].map(describeLicense)).toEqual(['unknown', 'unknown']);
  });
});

it('SC-03: the secret scan finds secrets of Gatehouse and other vendors without printing them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'));
  try {
    // Concatenated at runtime, so that this file contains no secret.
    const key = `k_${'7Qx2bWm9Zt'.repeat(5).slice(0, 49)}`;
    const secrets: Record<string, string> = {
      'docs/guide.md': `line 1\nline 2: s${key}\n`,
      'apps/page.tsx': `const key = 'p${key}';`,
      'test/a.spec.ts': `whsec_${'q8Zt4mVb'.repeat(5)}`,
      'libs/key.pem': `-----BEGIN RSA PRIVATE ${'KEY'}-----\n${'MIIEowIBAAKCAQEA'.repeat(8)}\n-----END RSA PRIVATE ${'KEY'}-----\n`,
      'ops/deploy.yml': `url: postgres://gatehouse:${'Vq8hTz2Kd7wP'}@db.example.com/gatehouse`,
      'libs/token.ts': `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`,
    };
    const harmless = {
      'test/b.spec.ts': `postgres://gatehouse:${'Vq8hTz2Kd7wP'}@db.example.com/gatehouse`,
      'docs/format.md': 'Keys match ^(sk|pk)_[0-9A-Za-z]{49}$, such as sk_abc.',
      '.env': `GATEHOUSE_KEY=s${key}`,
      'node_modules/x.js': `s${key}`,
    };
    for (const [name, content] of Object.entries({ ...secrets, ...harmless })) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    const problems: string[] = await findSecrets(folder);
    expect([...new Set(problems.map((problem) => problem.split(':')[0]))].sort()).toEqual(
      Object.keys(secrets).sort(),
    );
    expect(problems).toContain('docs/guide.md:2: found an API key of Gatehouse');
    expect(problems.join()).not.toMatch(/7Qx2bWm9Zt|q8Zt4mVb|MIIEow|Vq8hTz2|a1B2c3D4/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Runs .ci/run with programs that only record their arguments. @param audit the `npm run audit` exit code */
async function runCi(audit: number) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-ci-'));
  const npm = `#!/bin/sh
echo "npm $* [$CHECKS_NOT_RUN]"
case "$*" in *audit) [ ${audit} -eq 0 ] || exit ${audit} ;; esac
`;
  try {
    for (const name of ['npm', 'apt-get', 'apt-cache'])
      await writeFile(join(folder, name), name === 'npm' ? npm : '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, CHECKS_NOT_RUN: '' };
    return await new Promise<{ code: number; commands: string[] }>((resolve) => {
      const child = execFile('bash', ['.ci/run'], { env }, (_error, stdout) =>
        resolve({ code: child.exitCode!, commands: stdout.trim().split('\n').slice(1) }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('SC-03: .ci/run', () => {
  it('stops after a failed audit, and reports an audit that could not run as skipped', async () => {
    const audit = 'npm run --silent audit []';
    expect(await runCi(0)).toEqual({ code: 0, commands: [audit, 'npm run check []'] });
    expect(await runCi(75)).toEqual({ code: 0, commands: [audit, 'npm run check [npm audit]'] });
    expect(await runCi(1)).toEqual({ code: 1, commands: [audit] });
  });

  it('prints the totals and the checks that could not run at the end', () => {
    const run = { passed: 2, failed: 0, skipped: 0 };
    const passed = '4 passed, 0 failed';
    expect(sumTotals([run, run], 2, [])).toEqual({ lines: [passed], isPassed: true });
    const lines = ['NOT RUN: npm audit', passed];
    expect(sumTotals([run, run], 2, ['npm audit'])).toEqual({ lines, isPassed: true });
    expect(sumTotals([run], 2, [])).toEqual({ lines: ['2 passed, 1 failed'], isPassed: false });
  });
});

it('SC-03: npm run audit fails for high severities, and reports an unreachable registry', async () => {
  /** Runs the audit against a registry that reports these severities by package, or that is unreachable. */
  const audit = async (severities: Record<string, string> | null) => {
    const advisories = Object.entries(severities ?? {}).map(([name, severity]) => [
      name,
      [{ id: 1, url: `https://example.com/${name}`, title: 'T', severity, vulnerable_versions: '*' }],
    ]);
    const registry = createServer((request, response) => {
      request.resume();
      const isAudit = request.method === 'POST' && request.url!.endsWith('/advisories/bulk');
      response.writeHead(isAudit ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAudit ? Object.fromEntries(advisories) : {}));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const { port } = registry.address() as AddressInfo;
    if (!severities) registry.close();
    const cache = await mkdtemp(join(tmpdir(), 'gatehouse-audit-'));
    try {
      const summary = join(cache, 'summary.md');
      const result = await runNode(['scripts/audit.mjs'], {
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_cache: cache,
        GITHUB_ACTIONS: 'true',
        GITHUB_STEP_SUMMARY: summary,
      });
      return { ...result, summary: await readFile(summary, 'utf8').catch(() => '') };
    } finally {
      registry.close();
      await rm(cache, { recursive: true, force: true });
    }
  };
  const [found, none] = await Promise.all([audit({ nodemailer: 'moderate', react: 'high' }), audit(null)]);
  expect(found.code).toBe(1);
  expect(found.output).toMatch(/--omit=dev: 1 vulnerable packages, 0 high or critical/);
  expect(found.output).toMatch(/^npm audit: react: high: https:\/\/example\.com\/react$/m);
  expect(found.output).not.toContain('NOT RUN');
  expect(found.summary).toBe('');
  const text = /No registry has audited the packages \(.+\)\. Known vulnerabilities were not checked\./;
  expect(none.code).toBe(75);
  expect(none.output).toMatch(new RegExp(`^npm audit: NOT RUN\\. ${text.source}$`, 'm'));
  expect(none.output).toMatch(new RegExp(`^::warning title=npm audit did not run::${text.source}$`, 'm'));
  expect(none.summary).toMatch(new RegExp(`^\\*\\*npm audit did not run\\.\\*\\* ${text.source}\n$`));
});
