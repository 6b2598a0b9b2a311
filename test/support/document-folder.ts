import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeBlocks, shellBlock } from './code-blocks.js';
import { waitUntilListening, type ListeningProgram } from './listening-program.js';

export interface DocumentFolderOptions {
  /** Environment of shell blocks and servers, in addition to PATH. */
  env?: Record<string, string>;
  /** Replacements in the blocks, such as for a port that differs in tests. */
  replace?: Record<string, string>;
  /** An existing folder for the files. Default: the system's folder for temporary files. */
  parent?: string;
}

/** A document's files and commands, in a folder with the packages installed, like a reader's. */
export class DocumentFolder {
  private readonly servers: ChildProcess[] = [];

  private constructor(
    readonly document: string,
    private readonly parent: string,
    private readonly options: DocumentFolderOptions,
  ) {}

  static async create(document: string, options: DocumentFolderOptions = {}): Promise<DocumentFolder> {
    const parent = await mkdtemp(join(options.parent ?? tmpdir(), 'gatehouse-document-'));
    const folder = new DocumentFolder(document, parent, options);
    await mkdir(folder.path);
    await symlink(join(process.cwd(), 'node_modules'), join(folder.path, 'node_modules'), 'junction');
    await folder.write('package.json', '{"type":"module"}');
    for (const [name, code] of await codeBlocks(document)) await folder.write(name, folder.replace(code));
    return folder;
  }

  get path(): string {
    return join(this.parent, 'shop');
  }

  /** Writes a file. @param name relative to the folder. `close` also removes the parent folder `../` */
  async write(name: string, content: string): Promise<void> {
    await mkdir(dirname(join(this.path, name)), { recursive: true });
    await writeFile(join(this.path, name), content);
  }

  /** Runs document shell blocks in one shell. @returns their output */
  async runBlocks(...names: string[]): Promise<string> {
    return this.run((await Promise.all(names.map((name) => this.block(name)))).join('\n'));
  }

  /** Runs a shell script in the folder. @returns its output @throws Error with its output if it fails */
  async run(script: string): Promise<string> {
    const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
      cwd: this.path,
      env: this.environment(),
    }).catch((error: { stdout: string; stderr: string; message: string }) => {
      throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
    });
    return stdout;
  }

  /** Starts the server from a shell block in the document. Resolves once a URL accepts connections. */
  async startBlock(name: string, url: string): Promise<ListeningProgram> {
    return this.start(['sh', '-c', `exec ${await this.block(name)}`], url);
  }

  /** Starts a server in the folder. Resolves once a URL accepts connections. @throws Error if it ends first */
  async start([program, ...args]: string[], url: string, env = {}): Promise<ListeningProgram> {
    const child = spawn(program!, args, {
      cwd: this.path,
      env: { ...this.environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.servers.push(child);
    return waitUntilListening(args.at(-1) ?? program!, child, url);
  }

  /** Stops all servers and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map(stopServer));
    await rm(this.parent, { recursive: true, force: true });
  }

  /** Returns a shell block of the document. @throws Error if the document does not contain it */
  async block(name: string): Promise<string> {
    return this.replace(await shellBlock(this.document, name));
  }

  private replace(text: string): string {
    const { replace = {} } = this.options;
    return Object.entries(replace).reduce((result, [from, to]) => result.replaceAll(from, to), text);
  }

  private environment(): Record<string, string | undefined> {
    return { PATH: process.env['PATH'], HOME: this.parent, ...this.options.env };
  }
}

/** Stops a server and waits for its end. `next dev` ends its own child process only after SIGTERM. */
async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
