import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentFolder } from './document-folder.js';
import { freePort } from './server-process.mjs';
import type { SocialProject } from './social-sign-in.js';
import type { TestInstance } from './test-instance.js';

/** The quick start with the files of examples/nextjs. */
export const NEXT_DOCUMENT = 'docs/quick-starts/nextjs.md';

/** The app in the quick start, with a server. */
export class NextExample {
  private constructor(
    readonly folder: DocumentFolder,
    private readonly port: string,
  ) {}

  /** Writes the files of the quick start. */
  static async create(): Promise<NextExample> {
    // Turbopack reads no files outside the folder that contains the lockfile.
    const folder = await DocumentFolder.create(NEXT_DOCUMENT, {
      parent: join(process.cwd(), 'dist'),
      // It does not read files above the home directory either.
      env: { NEXT_TELEMETRY_DISABLED: '1', CI: '1', HOME: tmpdir() },
    });
    // The app skips what the tests do not need: `npm run types` checks the types, the React quick start tests minified
    // packages, and the folder is compiled only once.
    const config = {
      typescript: { ignoreBuildErrors: true },
      experimental: {
        turbopackMinify: false,
        turbopackFileSystemCacheForBuild: false,
        turbopackSourceMaps: false,
        turbopackInputSourceMaps: false,
      },
    };
    await folder.write('next.config.mjs', `export default ${JSON.stringify(config)};`);
    return new NextExample(folder, String(await freePort()));
  }

  get origin(): string {
    return `http://localhost:${this.port}`;
  }

  /** Starts the app for a project. The block `build` must have run. */
  async start(instance: TestInstance, { id: projectId, publishableKey }: SocialProject): Promise<void> {
    const credentials = { ...instance.credentials, projectId, publishableKey };
    await this.folder.write('../gatehouse/.data/credentials.json', JSON.stringify(credentials));
    await this.folder.runBlocks('settings');
    await this.folder.start(
      [process.execPath, 'node_modules/next/dist/bin/next', 'start', '--port', this.port],
      `${this.origin}/favicon.ico`,
    );
  }

  async close(): Promise<void> {
    await this.folder.close();
  }
}
