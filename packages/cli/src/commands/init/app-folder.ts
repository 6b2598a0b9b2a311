import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The package.json members that `init` reads. */
export interface Manifest {
  name?: string;
  type?: string;
  main?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** An app's folder, with its package.json. All paths are relative to it and use `/`. */
export class AppFolder {
  constructor(
    readonly path: string,
    readonly manifest: Manifest,
  ) {}

  /** Returns the folder, or null if it has no readable package.json. */
  static read(path: string): AppFolder | null {
    try {
      return new AppFolder(path, JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest);
    } catch {
      return null;
    }
  }

  /** The package's name, or the folder's if the package has none. */
  get name(): string {
    return this.manifest.name || this.path.split(/[\\/]/).at(-1) || 'app';
  }

  get isTypeScript(): boolean {
    return this.exists('tsconfig.json');
  }

  /** Returns a dependency's version range, or undefined. */
  dependency(name: string): string | undefined {
    return this.manifest.dependencies?.[name] ?? this.manifest.devDependencies?.[name];
  }

  exists(path: string): boolean {
    return existsSync(join(this.path, path));
  }

  /** Returns a file's content, or null if the file does not exist. */
  read(path: string): string | null {
    try {
      return readFileSync(join(this.path, path), 'utf8');
    } catch {
      return null;
    }
  }

  /** Returns the first existing path, or undefined. */
  find(...paths: string[]): string | undefined {
    return paths.find((path) => this.exists(path));
  }
}
