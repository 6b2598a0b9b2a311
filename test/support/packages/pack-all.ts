import { listPackages, packFolders } from '../../../scripts/packages.mjs';

export interface Tarball {
  file: string;
  /** The paths to its files, such as dist/index.js. */
  contents: string[];
}

/** Packs all repository packages into a folder. @returns the tarballs by package name */
export async function packAll(folder: string): Promise<Map<string, Tarball>> {
  const packages = listPackages();
  const sources = packages.map(({ folder: source }) => source);
  const packed = await packFolders(sources, folder);
  return new Map(packages.map(({ name }, index) => [name, packed[index]!]));
}
