import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { readFile } from 'node:fs/promises';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Returns the problems that publint finds in a tarball, including its suggestions. */
export async function lintTarball(file: string): Promise<string[]> {
  const { buffer, byteOffset, byteLength } = await readFile(file);
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/**
 * Returns the problems with the types in a tarball. As in attw's profile "esm-only", require() and Node.js 10
 * resolution are ignored. Style sheets are ignored as well, because they have no types.
 */
export async function checkTarballTypes(file: string): Promise<string[]> {
  const tarball = createPackageFromTarballData(new Uint8Array(await readFile(file)));
  const result = await checkPackage(tarball, { excludeEntrypoints: [/\.css$/] });
  if (!result.types) return ['no types'];
  const ignored = ['node10', 'node16-cjs'];
  return result.problems
    .filter((problem) => !('resolutionKind' in problem && ignored.includes(problem.resolutionKind)))
    .map((problem) => JSON.stringify(problem));
}
