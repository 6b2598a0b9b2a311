import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runNpm } from '../../scripts/processes.mjs';
import { nightlyIt } from '../support/is-nightly.js';

/** A stand-in for Vite that writes the output for the programs and the console. */
const FAKE_VITE = `
  import fs from 'node:fs';
  const [folder, files] = process.argv.includes('apps/console')
    ? ['dist/console', { 'index.html': '' }]
    : ['dist/programs', { 'gatehouse.js': "console.log('ran ' + process.argv[2]);", 'chunk.js': '' }];
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(folder + '/' + name, text);`;

/** A repository clone that contains the scripts and one source file. */
let clone: string;
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'gatehouse-clone-'));
  for (const name of ['scripts', 'package.json', 'nest-cli.json'])
    await cp(name, join(clone, name), { recursive: true });
  await mkdir(join(clone, 'apps/api/src'), { recursive: true });
  await writeFile(join(clone, 'apps/api/src/gatehouse.ts'), '');
});
afterEach(async () => rm(clone, { recursive: true, force: true }));

const runCommand = () =>
  run(process.execPath, [join(clone, 'scripts/gatehouse.mjs'), 'alert-secret'], {
    env: { PATH: process.env['PATH'] },
  });
const program = (): string => join(clone, 'dist/programs/gatehouse.js');

/** Runs `npm run build` without the compilers. */
async function build(): Promise<void> {
  for (const [file, text] of [
    ['@nestjs/cli/bin/nest.js', ''],
    ['vite/bin/vite.js', FAKE_VITE],
  ] as const) {
    await mkdir(join(clone, 'node_modules', file, '..'), { recursive: true });
    await writeFile(join(clone, 'node_modules', file), text);
  }
  await writeFile(join(clone, 'node_modules/package.json'), '{ "type": "module" }');
  expect(await runNpm(['run', 'build'], { cwd: clone })).toMatchObject({ code: 0 });
}

/** Builds whatever is out of date, as `npm start` does. Returns whether it built the programs, and the output. */
const ensureBuilt = async (): Promise<string> => {
  const script = `const { ensureBuilt } = await import('./scripts/build.mjs'); console.log(await ensureBuilt(process.stdout))`;
  const args = ['--input-type=module', '--eval', script];
  return (await run(process.execPath, args, { cwd: clone })).output;
};

describe('npm run gatehouse', () => {
  it('prints the missing command instead of installing or building', async () => {
    expect(await runCommand()).toEqual({
      code: 1,
      output: 'The packages of Gatehouse are not installed. Install them: npm ci\n',
    });
    await mkdir(join(clone, 'node_modules'));
    expect(await runCommand()).toEqual({
      code: 1,
      output: 'dist/programs/gatehouse.js does not exist. Build it: npm run build\n',
    });
    expect(await readdir(clone)).not.toContain('dist');
    expect(await readdir(join(clone, 'node_modules'))).toEqual([]);
  });

  it('runs the output of npm run build, which npm start does not rebuild', async () => {
    await build();
    const { mtimeMs } = await stat(program());
    expect(await runCommand()).toEqual({ code: 0, output: 'ran alert-secret\n' });
    expect(await ensureBuilt()).toBe('false\n');
    expect((await stat(program())).mtimeMs).toBe(mtimeMs);
  });

  nightlyIt('reports a program that is older than its sources and still runs it', async () => {
    await build();
    const { mtimeMs } = await stat(program());
    await writeFile(join(clone, 'apps/api/src/gatehouse.ts'), '// changed');
    expect(await runCommand()).toEqual({
      code: 0,
      output:
        'The programs were not built from the current sources. To build them again, when nothing uses them: npm run build\nran alert-secret\n',
    });
    expect((await stat(program())).mtimeMs).toBe(mtimeMs);
  });

  nightlyIt('reports a missing build file, which npm start then rebuilds', async () => {
    await build();
    await rm(join(clone, 'dist/programs/chunk.js'));
    expect(await runCommand()).toEqual({
      code: 1,
      output: 'dist/programs/chunk.js does not exist. Build it: npm run build\n',
    });
    const serve = await run(process.execPath, [join(clone, 'scripts/serve.mjs')]);
    expect(serve).toEqual({
      code: 78,
      output: 'dist/programs/all.js does not exist. Build it: npm run build\n',
    });
    expect(await ensureBuilt()).toMatch(/^ {2}Building …\n.*\ntrue\n$/);
    expect(await runCommand()).toEqual({ code: 0, output: 'ran alert-secret\n' });
  });
});

describe('a program in an incomplete dist/programs', () => {
  it.each(['all', 'api', 'gatehouse', 'webhook-worker'])(
    'prints one message and exits with a code that prevents a restart (%s.js)',
    async (name) => {
      for (const file of [`${name}.js`, 'rolldown-runtime.js'])
        await cp(join('dist/programs', file), join(clone, 'dist/programs', file));
      const { code, output } = await run(process.execPath, [join(clone, `dist/programs/${name}.js`)]);
      expect([code, output]).toEqual([
        78,
        expect.stringMatching(
          /^Cannot find module '.+' imported from .+\. Build the programs again: npm ci && npm run build\n$/,
        ),
      ]);
    },
  );
});
