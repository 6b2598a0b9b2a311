import { mkdir, open, readdir, rename, rm, rmdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../cli-error.js';
import type { TargetFile } from './target.js';

/** Number of characters that are written at once. */
const BUFFER_LENGTH = 64 * 1024;

/**
 * Writes an export's files to a folder. They are renamed from `*.partial` when all files are complete, and only their
 * owner can read them.
 */
export class TargetFolder {
  private readonly series: readonly FileSeries[];
  private readonly stale: string[] = [];
  private isNew = false;

  constructor(
    private readonly folder: string,
    private readonly files: readonly TargetFile[],
  ) {
    this.series = files.map((file) => new FileSeries(folder, file));
  }

  /**
   * Creates the folder.
   * @param force true to replace an earlier export's files; other files are never removed
   * @throws CliError if the path is not a folder, or the folder is not empty
   */
  async create(force: boolean): Promise<void> {
    const found = await stat(this.folder).catch(() => null);
    if (found && !found.isDirectory())
      throw usageError(`${this.folder} is a file.`, 'With --to, pass the name of a folder.');
    const names = found ? await readdir(this.folder) : [];
    if (names.length > 0 && !force)
      throw usageError(
        `The folder ${this.folder} is not empty.`,
        'Choose another folder, or replace the files of an earlier export with --force.',
      );
    this.stale.push(...names.filter((name) => this.files.some((file) => isNameOf(file, name))));
    this.isNew = (await mkdir(this.folder, { recursive: true, mode: 0o700 })) !== undefined;
  }

  /** Writes a customer's records. @returns the first record's file name */
  async write(records: readonly (readonly string[])[]): Promise<string> {
    for (const [index, texts] of records.entries())
      for (const text of texts) await this.series[index]!.write(text);
    return this.series[0]!.current;
  }

  /** Completes and renames the files. @returns their names */
  async finish(): Promise<string[]> {
    const names: string[] = [];
    for (const series of this.series) names.push(...(await series.close()));
    for (const name of names) await rename(join(this.folder, `${name}.partial`), join(this.folder, name));
    for (const name of this.stale)
      if (!names.includes(name)) await rm(join(this.folder, name), { force: true });
    return names;
  }

  /** Removes the files that `write` has created, and the folder if `create` has created it. */
  async discard(): Promise<void> {
    for (const series of this.series)
      for (const name of await series.abort())
        await rm(join(this.folder, `${name}.partial`), { force: true });
    if (this.isNew) await rmdir(this.folder).catch(() => undefined);
  }
}

/** Returns true if a file belongs to a series. */
const isNameOf = ({ name }: TargetFile, found: string): boolean => {
  const [start, end] = name.split('#');
  if (end === undefined) return found === name;
  return (
    found.startsWith(start!) && found.endsWith(end) && /^\d+$/.test(found.slice(start!.length, -end.length))
  );
};

/** Writes one file, or a series of numbered files with a maximum size. */
class FileSeries {
  private readonly names: string[] = [];
  private handle: FileHandle | null = null;
  private buffer = '';
  /** Number of bytes and records in the current file. */
  private bytes = 0;
  private records = 0;

  constructor(
    private readonly folder: string,
    private readonly file: TargetFile,
  ) {}

  /** Name of the file that contains the last record. */
  get current(): string {
    return this.names.at(-1) ?? '';
  }

  async write(record: string): Promise<void> {
    const { separator, tail, maxBytes = Infinity, maxRecords = Infinity } = this.file;
    const size = Buffer.byteLength(separator + record + tail);
    const isFull = this.records > 0 && (this.bytes + size > maxBytes || this.records >= maxRecords);
    if (isFull) await this.closeFile();
    if (!this.handle) await this.openFile();
    await this.append(this.records > 0 ? separator + record : record);
    this.records += 1;
  }

  /**
   * Completes the last file. An export without customers has one file without records.
   * @returns the names of all files
   */
  async close(): Promise<readonly string[]> {
    if (this.names.length === 0) await this.openFile();
    await this.closeFile();
    return this.names;
  }

  async abort(): Promise<readonly string[]> {
    await this.handle?.close();
    return this.names;
  }

  private async openFile(): Promise<void> {
    const name = this.file.name.replace('#', String(this.names.length + 1).padStart(4, '0'));
    const partial = join(this.folder, `${name}.partial`);
    await rm(partial, { force: true });
    this.handle = await open(partial, 'wx', 0o600);
    this.names.push(name);
    [this.bytes, this.records] = [0, 0];
    await this.append(this.file.head);
  }

  private async append(text: string): Promise<void> {
    this.buffer += text;
    this.bytes += Buffer.byteLength(text);
    if (this.buffer.length >= BUFFER_LENGTH) await this.flush();
  }

  private async flush(): Promise<void> {
    await this.handle?.writeFile(this.buffer);
    this.buffer = '';
  }

  private async closeFile(): Promise<void> {
    await this.append(this.file.tail);
    await this.flush();
    const { handle } = this;
    this.handle = null;
    await handle?.close();
  }
}
