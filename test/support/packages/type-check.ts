import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../scripts/processes.mjs';

const compiler = join(process.cwd(), 'node_modules', 'typescript-7', 'bin', 'tsc');

/**
 * Compiles a file that imports the entry points of installed packages, and checks their declarations.
 * @param resolution TypeScript's option moduleResolution
 * @returns the errors in the file and in Gatehouse packages, or an empty string
 */
export async function checkExportTypes(
  project: string,
  entryPoints: string[],
  resolution: string,
): Promise<string> {
  const imports = entryPoints.map((name, index) => `import * as entry${index} from '${name}';\n`).join('');
  const used = entryPoints.map((_, index) => `entry${index}`).join(', ');
  await writeFile(join(project, 'check.ts'), `${imports}export const entries = [${used}];\n`);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    module: resolution === 'bundler' ? 'preserve' : 'nodenext',
    moduleResolution: resolution,
    types: [],
    strict: true,
    // Checks the packages' declarations. Errors in other packages' declarations are ignored below.
    skipLibCheck: false,
    noEmit: true,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['check.ts'] }));
  const { output } = await run(process.execPath, [compiler, '-p', project, '--pretty', 'false'], {
    cwd: project,
  });
  const errors = output
    .split('\n')
    .filter((line) => /^(check\.ts|node_modules\/(\.store\/)?@gatehouse\/|error)/.test(line));
  return errors.join('\n');
}
