import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));

/** Statements that bypass the accounts folder or the request's transaction, by the rule that rejects them. */
const violations = {
  'new-accounts': [
    "import { AccountsRepository } from '@gatehouse/persistence';",
    "import * as persistence from '@gatehouse/persistence';",
    "const loaded = await import('@gatehouse/persistence');",
  ],
  'ended-access': [
    'this.customers.revokeAccess(tx);',
    'this.tokens.voidAll(tx);',
    'this.factors.deleteAll(tx);',
  ],
  'inserted-accounts': [
    'const customer = `INSERT INTO customers (id) VALUES ($1)`;',
    "const identity = 'WITH inserted AS (INSERT INTO identities (id) VALUES ($1)) SELECT 1';",
    'tx.manager.insert(CustomerEntity, {});',
  ],
  'joined-transactions': ['this.transactions.run(work);', 'const done = transactions.run(work);'],
};
type Rule = keyof typeof violations;

const source = `${Object.values(violations).flat().join('\n')}\n`;

/** Files with the rules that apply to them. */
const files: [file: string, rules: Rule[]][] = [
  ['apps/api/src/accounts/account-lifecycle.service.ts', ['joined-transactions']],
  ['apps/api/src/customers/customers.service.ts', ['new-accounts', 'ended-access', 'joined-transactions']],
  ['apps/api/src/operators/operators.service.ts', ['new-accounts']],
  ['apps/webhook-worker/src/mail/mail-sender.ts', ['new-accounts']],
  ['libs/persistence/src/accounts/accounts.repository.ts', []],
  ['libs/persistence/src/customers/customers.repository.ts', ['inserted-accounts']],
];

/** Returns the lines that the linter reports in files with this source, by file and rule. */
function lint(): Map<string, string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-lint-'));
  try {
    const config = parse(readFileSync(path.join(repository, '.oxlintrc.json'), 'utf8'));
    const options = { ...config.options, typeAware: false };
    const jsPlugins = config.jsPlugins.map((name: string) => path.join(repository, name));
    writeFileSync(path.join(folder, '.oxlintrc.json'), JSON.stringify({ ...config, options, jsPlugins }));
    for (const [file] of files) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(folder, file), source);
    }
    const oxlint = path.join(repository, 'node_modules/oxlint/bin/oxlint');
    const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'json'], {
      ...{ cwd: folder, encoding: 'utf8' },
    });
    const found = new Map<string, string[]>();
    for (const { code, filename, labels } of JSON.parse(stdout).diagnostics) {
      const key = `${filename} ${code}`;
      const line = source.split('\n')[labels[0].span.line - 1]!;
      found.set(key, [...(found.get(key) ?? []), line]);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let found: Map<string, string[]>;
beforeAll(() => (found = lint()));

describe.each(files)('the linter in %s', (file, rules) => {
  it.each(Object.keys(violations) as Rule[])(
    'applies %s only to files that must not write accounts',
    (rule) => {
      const reported = found.get(`${file} gatehouse(${rule})`) ?? [];
      expect(reported.sort()).toEqual(rules.includes(rule) ? [...violations[rule]].sort() : []);
    },
  );
});
