import { listPackages, packFolder } from '../../../scripts/packages.mjs';

export interface Tarball {
  file: string;
  /** The paths of its files, such as dist/index.js. */
  contents: string[];
}

/** Packs all packages of the repository into a folder. @returns the tarballs by package name */
export async function packAll(folder: string): Promise<Map<string, Tarball>> {
  const tarballs = new Map<string, Tarball>();
  for (const { name, folder: source } of listPackages()) tarballs.set(name, await packFolder(source, folder));
  return tarballs;
}
