import { cp, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/processes.mjs';

/** A clone of the repository, with the scripts and one source. */
let clone: string;
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'gatehouse-clone-'));
  await cp('scripts', join(clone, 'scripts'), { recursive: true });
  await cp('package.json', join(clone, 'package.json'));
  await mkdir(join(clone, 'libs'));
  await mkdir(join(clone, 'apps/api/src'), { recursive: true });
  await writeFile(join(clone, 'apps/api/src/gatehouse.ts'), '');
});
afterEach(async () => rm(clone, { recursive: true, force: true }));

const runCommand = () =>
  run(process.execPath, [join(clone, 'scripts/gatehouse.mjs'), 'alert-secret'], {
    env: { PATH: process.env['PATH'] },
  });
const program = (): string => join(clone, 'dist/programs/gatehouse.js');
async function build(): Promise<void> {
  await mkdir(join(clone, 'node_modules'));
  await mkdir(join(clone, 'dist/programs'), { recursive: true });
  await writeFile(program(), `console.log('ran ' + process.argv[2]);`);
}

describe('npm run gatehouse', () => {
  it('neither installs nor builds, and names the command that does', async () => {
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

  it('runs the program that is there, without a build stamp', async () => {
    await build();
    const { mtimeMs } = await stat(program());
    expect(await runCommand()).toEqual({ code: 0, output: 'ran alert-secret\n' });
    expect((await stat(program())).mtimeMs).toBe(mtimeMs);
  });

  it('reports a program that is older than its sources, and runs it', async () => {
    await build();
    await utimes(program(), 0, 0);
    expect(await runCommand()).toEqual({
      code: 0,
      output:
        'dist/programs/gatehouse.js is older than its sources. To build it again, when nothing uses it: npm run build\nran alert-secret\n',
    });
    expect((await stat(program())).mtimeMs).toBe(0);
  });
});
