import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that `init` reads. */
export interface Manifest {
  name?: string;
  type?: string;
  main?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The npm project in the working directory, which is no project of Gatehouse. All paths are relative to its folder, with `/`. */
export class Project {
  constructor(
    readonly folder: string,
    readonly manifest: Manifest,
  ) {}

  /** Returns the project in a folder, or null without a readable package.json. */
  static read(folder: string): Project | null {
    try {
      return new Project(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest);
    } catch {
      return null;
    }
  }

  /** The name of the package, or of its folder. */
  get name(): string {
    return this.manifest.name || this.folder.split(/[\\/]/).at(-1) || 'app';
  }

  get isTypeScript(): boolean {
    return this.exists('tsconfig.json');
  }

  /** Returns the range of versions of a dependency, or undefined. */
  dependency(name: string): string | undefined {
    return this.manifest.dependencies?.[name] ?? this.manifest.devDependencies?.[name];
  }

  exists(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** Returns the content of a file, or null if the file does not exist. */
  read(path: string): string | null {
    try {
      return readFileSync(join(this.folder, path), 'utf8');
    } catch {
      return null;
    }
  }

  /** Returns the first of the paths that exists, or undefined. */
  find(...paths: string[]): string | undefined {
    return paths.find((path) => this.exists(path));
  }
}
