import { run } from '../../../scripts/processes.mjs';

/**
 * Imports entry points in a new Node.js process.
 * @param project a folder in which the packages are installed
 * @param node the Node.js executable
 * @returns the entry points that were imported
 * @throws Error with the output if an entry point cannot be imported
 */
export async function importExports(
  project: string,
  entryPoints: string[],
  node = process.execPath,
): Promise<string[]> {
  const code = `
    const imported = [];
    for (const name of ${JSON.stringify(entryPoints)}) {
      await import(name);
      imported.push(name);
    }
    console.log(JSON.stringify(imported));`;
  const { code: exitCode, output } = await run(node, ['--input-type=module', '--eval', code], {
    cwd: project,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (exitCode !== 0) throw new Error(output);
  return JSON.parse(output) as string[];
}
