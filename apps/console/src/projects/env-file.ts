import type { CreatedKey } from './api-key';

/**
 * The naming convention for the variables, which depends on the application's framework. The quick starts use the same
 * names.
 */
export type EnvironmentStyle = 'server' | 'vite';

export const environmentStyles: Record<EnvironmentStyle, string> = {
  server: 'Server, Next.js or Expo',
  vite: 'Vite',
};

/** The variables that a build with Vite exposes to the browser. The secret key must not be among them. */
const viteNames: Record<string, string> = {
  GATEHOUSE_URL: 'VITE_GATEHOUSE_URL',
  GATEHOUSE_PUBLISHABLE_KEY: 'VITE_PUBLISHABLE_KEY',
};

/**
 * Returns a .env file for an application. The first key of each type gets the variable name that the packages expect.
 * The names of further variables end with the key's name.
 */
export function envFile(
  keys: readonly CreatedKey[],
  { url, projectId, style }: { url: string; projectId: string; style: EnvironmentStyle },
): string {
  const used = new Set<string>();
  const variableName = ({ type, name }: CreatedKey): string => {
    const base = type === 'secret' ? 'GATEHOUSE_SECRET_KEY' : 'GATEHOUSE_PUBLISHABLE_KEY';
    const suffix =
      name
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]+/g, '_')
        .replaceAll(/^_|_$/g, '') || 'KEY';
    let variable = base;
    for (let count = 1; used.has(variable); count += 1)
      variable = `${base}_${suffix}${count > 1 ? `_${count}` : ''}`;
    used.add(variable);
    return variable;
  };
  const entries: [string, string][] = [
    ['GATEHOUSE_URL', url],
    ['GATEHOUSE_PROJECT_ID', projectId],
    ...keys.map((key): [string, string] => [variableName(key), key.key]),
  ];
  return entries
    .map(([name, value]) => `${(style === 'vite' && viteNames[name]) || name}=${value}\n`)
    .join('');
}
