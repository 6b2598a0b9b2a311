import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { ensureExampleInstalled } from '../../scripts/examples.mjs';
import { run } from '../../scripts/processes.mjs';
import { codeBlocks } from '../support/code-blocks.js';

const FOLDER = join(process.cwd(), 'examples', 'expo');
const MODULES = join(FOLDER, 'node_modules');
/** A folder that Git and oxfmt ignore. */
const GENERATED = join(FOLDER, '.expo', 'types-of-packages');

let output: string;
beforeAll(async () => {
  // `npm ci` in the repository does not install Expo and React Native, which add 350 MB.
  await ensureExampleInstalled('expo', process.stderr);
  output = await mkdtemp(join(tmpdir(), 'gatehouse-expo-'));
});
afterAll(async () => {
  await rm(GENERATED, { recursive: true, force: true });
  if (output) await rm(output, { recursive: true, force: true });
});

/** Runs a program. @throws Error with its output if it fails */
async function runProgram(program: string, args: string[]): Promise<void> {
  // The options that Jest sets for Node.js must not apply to other programs.
  const env = { ...process.env, NODE_OPTIONS: '', CI: '1', EXPO_NO_TELEMETRY: '1', EXPO_OFFLINE: '1' };
  const result = await run(program, args, { cwd: FOLDER, env });
  if (result.code !== 0) throw new Error(result.output);
}

const compile = (project: string): Promise<void> =>
  runProgram(process.execPath, [join(MODULES, 'typescript', 'bin', 'tsc'), '--noEmit', '-p', project]);

describe('the type check', () => {
  it('passes for the example', () => compile(FOLDER));

  it('finds the types of the native modules that the package uses', async () => {
    const readme = await codeBlocks('packages/expo/README.md');
    await mkdir(GENERATED, { recursive: true });
    await writeFile(join(GENERATED, 'google.ts'), readme.get('google.ts')!);
    const paths = Object.fromEntries(
      ['expo-*', 'react-native'].map((name) => [name, [`../../node_modules/${name}`]]),
    );
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions: { paths, preserveSymlinks: false },
      include: [],
      // Without the repository's declarations, the source imports the real packages.
      files: ['google.ts', '../../../../packages/expo/src/index.native.ts'],
    };
    await writeFile(join(GENERATED, 'tsconfig.json'), JSON.stringify(config));
    await compile(GENERATED);
  });
});

/**
 * Bundles the example with Metro, which rejects imports of Node.js modules.
 * @returns the bundled module paths, relative to the repository
 */
async function bundle(platform: string): Promise<string[]> {
  process.stderr.write(`Bundling examples/expo for ${platform}\n`);
  const folder = join(output, platform);
  const args = ['export', '--platform', platform, '--no-bytecode', '--source-maps', '--output-dir', folder];
  await runProgram(process.execPath, [join(MODULES, 'expo', 'bin', 'cli'), ...args]);
  const scripts = join(folder, '_expo', 'static', 'js', platform);
  const maps = (await readdir(scripts)).filter((name) => name.endsWith('.map'));
  expect(maps).toHaveLength(1);
  const { sources } = JSON.parse(await readFile(join(scripts, maps[0]!), 'utf8')) as { sources: string[] };
  // Metro writes paths relative to the app, with a leading slash.
  return sources.map((source) => posix.join('examples/expo', source));
}

it.each(['android', 'ios'])('Metro bundles the example for %s', async (platform) => {
  const modules = await bundle(platform);
  const expected = ['expo/dist/index.native.js', 'expo/dist/use-sign-in.js', 'js/dist/redirects.js'];
  expect(modules).toEqual(expect.arrayContaining(expected.map((name) => `packages/${name}`)));
  expect(modules).not.toContain('packages/expo/dist/index.js');
  // React hooks fail if the bundle contains a second copy of React.
  const reactCopies = modules.filter((name) => /node_modules\/react\/index\.js$/.test(name));
  expect(reactCopies).toEqual(['examples/expo/node_modules/react/index.js']);
});
