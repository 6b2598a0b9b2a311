import { parseEnv } from 'node:util';
import type { FileChange } from './framework.js';
import type { AppFolder } from './app-folder.js';

const FILES = ['.env.local', '.env'];

/** A variable that a file already sets to another value. */
export interface Conflict {
  file: string;
  name: string;
  current: string;
  wanted: string;
}

/** Returns a variable's value in the app's files, or undefined if it is missing or empty. */
export const readVariable = (folder: AppFolder, name: string): string | undefined =>
  findVariable(folder, name)?.value;

function findVariable(folder: AppFolder, name: string): { file: string; value: string } | undefined {
  for (const file of FILES) {
    const value = parseEnv(folder.read(file) ?? '')[name]?.trim();
    if (value) return { file, value };
  }
  return undefined;
}

/** Returns the variables that the app's files already set to other values. */
export function findConflicts(folder: AppFolder, variables: Record<string, string>): Conflict[] {
  return Object.entries(variables).flatMap(([name, wanted]) => {
    const found = findVariable(folder, name);
    return found && found.value !== wanted ? [{ file: found.file, name, current: found.value, wanted }] : [];
  });
}

/**
 * Returns the file changes that set the variables. Missing variables are added to `file`. Existing ones are
 * replaced in place.
 * @param file the file for new variables
 */
export function planVariables(
  folder: AppFolder,
  file: string,
  variables: Record<string, string>,
): FileChange[] {
  const contents = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) {
    const found = findVariable(folder, name);
    if (found?.value === value) continue;
    const target = found?.file ?? file;
    contents.set(target, setVariable(contents.get(target) ?? folder.read(target) ?? '', name, value));
  }
  return [...contents].map(([path, content]) => ({
    path,
    action: folder.exists(path) ? 'change' : 'create',
    content,
  }));
}

/** Replaces the line that sets a variable, or adds one. */
function setVariable(content: string, name: string, value: string): string {
  const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm');
  if (line.test(content)) return content.replace(line, () => `${name}=${value}`);
  const separator = content === '' || content.endsWith('\n') ? '' : '\n';
  return `${content}${separator}${name}=${value}\n`;
}
