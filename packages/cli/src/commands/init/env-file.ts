import { parseEnv } from 'node:util';
import type { FileChange } from './framework.js';
import type { Project } from './project.js';

const FILES = ['.env.local', '.env'];

/** A variable that is set to another value. */
export interface Conflict {
  file: string;
  name: string;
  current: string;
  wanted: string;
}

/** Returns the value of a variable in the files of the project, or undefined. An empty one counts as not set. */
export const readVariable = (project: Project, name: string): string | undefined =>
  findVariable(project, name)?.value;

function findVariable(project: Project, name: string): { file: string; value: string } | undefined {
  for (const file of FILES) {
    const value = parseEnv(project.read(file) ?? '')[name]?.trim();
    if (value) return { file, value };
  }
  return undefined;
}

/** Returns the variables that are set to other values. */
export function findConflicts(project: Project, variables: Record<string, string>): Conflict[] {
  return Object.entries(variables).flatMap(([name, wanted]) => {
    const found = findVariable(project, name);
    return found && found.value !== wanted ? [{ file: found.file, name, current: found.value, wanted }] : [];
  });
}

/**
 * Returns the changes that set variables. Missing ones are added to `file`; others are replaced where they are.
 * @param file the file for new variables
 */
export function planVariables(
  project: Project,
  file: string,
  variables: Record<string, string>,
): FileChange[] {
  const contents = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) {
    const found = findVariable(project, name);
    if (found?.value === value) continue;
    const target = found?.file ?? file;
    contents.set(target, setVariable(contents.get(target) ?? project.read(target) ?? '', name, value));
  }
  return [...contents].map(([path, content]) => ({
    path,
    action: project.exists(path) ? 'change' : 'create',
    content,
  }));
}

/** Replaces the line of a variable, or adds one. */
function setVariable(content: string, name: string, value: string): string {
  const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm');
  if (line.test(content)) return content.replace(line, () => `${name}=${value}`);
  const separator = content === '' || content.endsWith('\n') ? '' : '\n';
  return `${content}${separator}${name}=${value}\n`;
}
