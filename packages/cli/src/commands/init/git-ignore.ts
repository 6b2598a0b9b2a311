import { spawnSync } from 'node:child_process';
import type { FileChange } from './framework.js';
import type { AppFolder } from './app-folder.js';

/** Returns the change that makes Git ignore an app file, or null if Git already ignores it. */
export function planGitIgnore(folder: AppFolder, file: string): FileChange | null {
  const content = folder.read('.gitignore');
  if (content !== null && listsFile(content, file)) return null;
  if (isIgnoredByGit(folder, file)) return null;
  const separator = !content || content.endsWith('\n') ? '' : '\n';
  return {
    path: '.gitignore',
    action: content === null ? 'create' : 'change',
    content: `${content ?? ''}${separator}${file}\n`,
  };
}

/** Returns true if a line is one of the usual patterns for the file. */
function listsFile(content: string, file: string): boolean {
  const patterns = [file, '.env*', ...(file === '.env' ? [] : ['.env.*', '.env*.local', '*.local'])];
  return content.split(/\r?\n/).some((line) => patterns.includes(line.trim().replace(/^\//, '')));
}

/** Returns true if Git ignores the file; false if there is no Git or no repository. */
function isIgnoredByGit(folder: AppFolder, file: string): boolean {
  const args = ['check-ignore', '--quiet', '--no-index', '--', file];
  return spawnSync('git', args, { cwd: folder.path, stdio: 'ignore' }).status === 0;
}
