import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import { readOrCreateRootSecret, rootSecretProblem } from './root-secret.js';

const strong = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const another = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';

describe('rootSecretProblem', () => {
  it('CF-01: accepts a random value or a ring of random values', () => {
    const hex = '8f3a1c9e5b7d2046f1e8a3c5b9d7024680ace13579bdf';
    const rings = [strong, `${strong},${another}`, ` ${strong} , ${another} `, hex];
    expect(rings.map(rootSecretProblem)).toEqual(rings.map(() => null));
  });

  it.each([
    ['at least 32 bytes', ['', 'x', strong.slice(0, 31), `${strong},short`, `${strong},`]],
    [
      'looks like a placeholder',
      [
        ...[`changeme-${strong}`, `CHANGE-ME-${strong}`, `my-Secret-${strong}`, `${strong}-PassWord`],
        ...[`example-${strong}`, '01234567890123456789012345678901', 'abcdefghijklmnopqrstuvwxyzABCDEFGH'],
      ],
    ],
    ['too little randomness', ['a'.repeat(64), 'horse-staple'.repeat(4).replace('p', 'r')]],
    ['the same entry twice', [`${strong},${strong}`]],
  ])('CF-01: rejects a ring and omits its value from the error: %s', (problem, rings) => {
    for (const ring of rings) {
      const found = rootSecretProblem(ring)!;
      expect(found).toContain(problem);
      for (const entry of ring.split(',').filter((each) => each.length > 5))
        expect(found).not.toContain(entry);
    }
  });
});

describe('readOrCreateRootSecret', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('CF-02: creates one random secret per folder, readable only by its owner', () => {
    const dataDir = join(folder, 'new', 'data');
    const first = readOrCreateRootSecret(dataDir);
    expect(rootSecretProblem(first)).toBeNull();
    expect(Buffer.from(first, 'base64url')).toHaveLength(32);
    expect(readOrCreateRootSecret(dataDir)).toBe(first);
    expect(readdirSync(dataDir)).toEqual(['root-secret']);
    expect(readOrCreateRootSecret(join(folder, 'other'))).not.toBe(first);
    expect(statSync(join(dataDir, 'root-secret')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it('CF-02: reads an existing secret and never replaces it, even if it is damaged', () => {
    const path = join(folder, 'root-secret');
    writeFileSync(path, `${strong}\n`);
    expect(readOrCreateRootSecret(folder)).toBe(strong);
    for (const damaged of ['', ' \n', strong.slice(0, 31)]) {
      writeFileSync(path, damaged);
      expect(() => readOrCreateRootSecret(folder)).toThrow(`${path} is damaged`);
      if (damaged.trim()) expect(() => readOrCreateRootSecret(folder)).not.toThrow(damaged);
      expect(readFileSync(path, 'utf8')).toBe(damaged);
      expect(readdirSync(folder)).toEqual(['root-secret']);
    }
    expect(() => readOrCreateRootSecret(path)).toThrow();
  });

  it('CF-02: returns the same secret in concurrent processes', async () => {
    for (const file of ['config/root-secret', 'runtime/errors']) {
      const source = readFileSync(new URL(`../${file}.ts`, import.meta.url), 'utf8');
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      mkdirSync(dirname(join(folder, 'code', file)), { recursive: true });
      writeFileSync(join(folder, 'code', `${file}.js`), outputText);
    }
    writeFileSync(join(folder, 'code', 'package.json'), '{"type":"module"}');
    const program = `
      import { readOrCreateRootSecret } from './config/root-secret.js';
      process.stdin.once('data', () => {
        process.stdout.write(readOrCreateRootSecret(${JSON.stringify(join(folder, 'data'))}));
        process.stdin.destroy();
      });
      process.stderr.write('ready');
    `;
    writeFileSync(join(folder, 'code', 'race.js'), program);
    const racers = await Promise.all(Array.from({ length: 4 }, () => start(join(folder, 'code', 'race.js'))));
    for (const racer of racers) racer.stdin.write('go');
    const secrets = await Promise.all(racers.map((racer) => text(racer.stdout)));
    expect(new Set(secrets).size).toBe(1);
    expect(rootSecretProblem(secrets[0]!)).toBeNull();
    expect(readdirSync(join(folder, 'data'))).toEqual(['root-secret']);
  });
});

/** Starts a process, and resolves once it has loaded its code and waits for input. */
async function start(file: string) {
  const child = spawn(process.execPath, [file], { stdio: 'pipe' });
  await once(child.stderr, 'data');
  return child;
}
