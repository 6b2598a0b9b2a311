import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import { keptRootSecret, rootSecretFault } from './root-secret.js';

const strong = 'k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i';
const another = 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0';

describe('rootSecretFault', () => {
  it.each([
    strong,
    `${strong},${another}`,
    ` ${strong} , ${another} `,
    '8f3a1c9e5b7d2046f1e8a3c5b9d7024680ace13579bdf',
  ])('CF-01: takes a random value or a ring of them (%#)', (ring) => {
    expect(rootSecretFault(ring)).toBeNull();
  });

  it.each([
    ['empty', '', 'at least 32 bytes'],
    ['one byte', 'x', 'at least 32 bytes'],
    ['31 bytes', strong.slice(0, 31), 'at least 32 bytes'],
    ['a short second entry', `${strong},short`, 'at least 32 bytes'],
    ['an empty second entry', `${strong},`, 'at least 32 bytes'],
    ['changeme', `changeme-${strong}`, 'looks like a placeholder'],
    ['CHANGE-ME', `CHANGE-ME-${strong}`, 'looks like a placeholder'],
    ['the word secret', `my-Secret-${strong}`, 'looks like a placeholder'],
    ['the word password', `${strong}-PassWord`, 'looks like a placeholder'],
    ["the example's", `example-${strong}`, 'looks like a placeholder'],
    ['a row of digits', '01234567890123456789012345678901', 'looks like a placeholder'],
    ['the alphabet', 'abcdefghijklmnopqrstuvwxyzABCDEFGH', 'looks like a placeholder'],
    ['one letter over and over', 'a'.repeat(64), 'too little randomness'],
    ['two words over and over', 'horse-staple'.repeat(4).replace('p', 'r'), 'too little randomness'],
    ['the same entry twice', `${strong},${strong}`, 'the same entry twice'],
  ])('CF-01: refuses %s', (_, ring, fault) => {
    expect(rootSecretFault(ring)).toContain(fault);
  });

  it('CF-01: no fault tells the value', () => {
    for (const ring of [strong.slice(0, 31), `changeme-${strong}`, `${strong},${strong}`]) {
      const fault = rootSecretFault(ring)!;
      for (const entry of ring.split(',')) expect(fault).not.toContain(entry);
    }
  });
});

describe('keptRootSecret', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('CF-02: is random, strong, made once, and kept', () => {
    const first = keptRootSecret(folder);
    expect(rootSecretFault(first)).toBeNull();
    expect(Buffer.from(first, 'base64url')).toHaveLength(32);
    expect(keptRootSecret(folder)).toBe(first);
    expect(readdirSync(folder)).toEqual(['root-secret']);
  });

  it('CF-02: no two installations share one', () => {
    expect(keptRootSecret(join(folder, 'a'))).not.toBe(keptRootSecret(join(folder, 'b')));
  });

  it('CF-02: only its owner may read it, and a folder that is made for it', () => {
    const dataDir = join(folder, 'new', 'data');
    keptRootSecret(dataDir);
    expect(statSync(join(dataDir, 'root-secret')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it('CF-02: what is there is read, not replaced', () => {
    writeFileSync(join(folder, 'root-secret'), `${strong}\n`);
    expect(keptRootSecret(folder)).toBe(strong);
    expect(readFileSync(join(folder, 'root-secret'), 'utf8')).toBe(`${strong}\n`);
  });

  it.each([
    ['empty', ''],
    ['blank', ' \n'],
    ['cut short', strong.slice(0, 31)],
  ])('CF-02: a kept file that is %s is an error that names it, not another secret', (_, content) => {
    const path = join(folder, 'root-secret');
    writeFileSync(path, content);
    expect(() => keptRootSecret(folder)).toThrow(`${path} is damaged`);
    if (content.trim()) expect(() => keptRootSecret(folder)).not.toThrow(content);
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(readdirSync(folder)).toEqual(['root-secret']);
  });

  it('a folder that cannot be used is an error, not another secret', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => keptRootSecret(join(folder, 'file'))).toThrow();
  });

  it('CF-02: processes that race for it end with the same one', async () => {
    for (const file of ['config/root-secret', 'errors']) {
      const source = readFileSync(new URL(`../${file}.ts`, import.meta.url), 'utf8');
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      mkdirSync(dirname(join(folder, 'code', file)), { recursive: true });
      writeFileSync(join(folder, 'code', `${file}.js`), outputText);
    }
    writeFileSync(join(folder, 'code', 'package.json'), '{"type":"module"}');
    const program = `
      import { keptRootSecret } from './config/root-secret.js';
      process.stdin.once('data', () => {
        process.stdout.write(keptRootSecret(${JSON.stringify(join(folder, 'data'))}));
        process.stdin.destroy();
      });
      process.stderr.write('ready');
    `;
    writeFileSync(join(folder, 'code', 'race.js'), program);
    const racers = await Promise.all(Array.from({ length: 4 }, () => start(join(folder, 'code', 'race.js'))));
    for (const racer of racers) racer.stdin.write('go');
    const secrets = await Promise.all(racers.map((racer) => text(racer.stdout)));
    expect(new Set(secrets).size).toBe(1);
    expect(rootSecretFault(secrets[0]!)).toBeNull();
    expect(readdirSync(join(folder, 'data'))).toEqual(['root-secret']);
  });
});

/** A process that has loaded its code and waits for a word. */
async function start(file: string) {
  const child = spawn(process.execPath, [file], { stdio: 'pipe' });
  await once(child.stderr, 'data');
  return child;
}
