import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../scripts/processes.mjs';
import { DocumentFolder } from '../document-folder.js';

const compiler = join(process.cwd(), 'node_modules', 'typescript-7', 'bin', 'tsc');

/** Returns all JavaScript and TypeScript blocks by file name. A block without a name is named after its position. */
async function listModules(document: string): Promise<Map<string, string>> {
  const text = await readFile(document, 'utf8');
  const modules = new Map<string, string>();
  for (const [, language, code] of text.matchAll(/^```(jsx?|tsx?)\n(.*?)^```$/gms)) {
    const name = /^\/\/ (\S+\.[cm]?[jt]sx?)\n/.exec(code!)?.[1];
    modules.set(name ?? `block-${modules.size + 1}.${language}`, code!);
  }
  return modules;
}

/**
 * Compiles all JavaScript and TypeScript blocks in a document against the built packages.
 * @param document the path to a Markdown file in the repository
 * @param environment declarations of what the blocks use without declaring it, such as the reader's variables
 * @returns the number of blocks, and their errors or an empty string
 */
export async function checkCodeBlocks(
  document: string,
  environment: string,
): Promise<{ count: number; errors: string }> {
  const folder = await DocumentFolder.create(document);
  try {
    const modules = await listModules(document);
    for (const [name, code] of modules) await folder.write(name, code);
    await folder.write('environment.d.ts', environment);
    const compilerOptions = {
      target: 'ES2023',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      module: 'nodenext',
      // A block without an import is also a module.
      moduleDetection: 'force',
      types: ['node'],
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      allowJs: true,
      skipLibCheck: true,
      noEmit: true,
    };
    const isTyped = (name: string): boolean => /\.[cm]?tsx?$/.test(name);
    const outputs = [
      // JavaScript has no syntax to assert that an optional value exists.
      await compile(folder, { ...compilerOptions, checkJs: true, strict: true, strictNullChecks: false }, [
        ...[...modules.keys()].filter((name) => !isTyped(name)),
      ]),
      await compile(folder, { ...compilerOptions, strict: true }, [...modules.keys()].filter(isTyped)),
    ];
    return { count: modules.size, errors: outputs.join('').trim() };
  } finally {
    await folder.close();
  }
}

async function compile(folder: DocumentFolder, compilerOptions: object, names: string[]): Promise<string> {
  if (names.length === 0) return '';
  const files = ['environment.d.ts', ...names];
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { output } = await run(process.execPath, [compiler, '-p', folder.path, '--pretty', 'false'], {
    cwd: folder.path,
  });
  return output;
}
