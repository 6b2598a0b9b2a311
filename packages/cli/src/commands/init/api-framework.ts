import { readVariable } from './env-file.js';
import type { Connection, Framework, NextStepsContext } from './framework.js';
import type { AppFolder } from './app-folder.js';

/** Default port of Gatehouse, and of new Express and NestJS projects. */
const DEFAULT_PORT = '3000';
const OTHER_PORT = '4000';

/** The members that Express and NestJS share. Both are servers that verify access tokens. */
export const apiFramework: Omit<Framework, 'name' | 'detect' | 'plan'> = {
  packages: ['@gatehouse/server'],
  envFile: '.env',
  pageOrigin: () => null,
  needsProject: true,
  urlVariable: 'GATEHOUSE_URL',
  publishableKeyVariable: 'GATEHOUSE_PUBLISHABLE_KEY',
  variables: apiVariables,
  nextSteps: apiNextSteps,
};

/** Returns the variables for a server, with another port if Gatehouse uses the default one on the same machine. */
function apiVariables(
  { url, projectId, publishableKey }: Connection,
  folder: AppFolder,
): Record<string, string> {
  const needsPort = isOnSamePort(url) && readsPort(folder) && !readVariable(folder, 'PORT');
  return {
    GATEHOUSE_URL: url,
    GATEHOUSE_PROJECT_ID: projectId,
    GATEHOUSE_PUBLISHABLE_KEY: publishableKey,
    ...(needsPort ? { PORT: OTHER_PORT } : {}),
  };
}

/** Returns true if Gatehouse listens on this machine, on the frameworks' default port. */
function isOnSamePort(url: string): boolean {
  const { hostname, port } = new URL(url);
  return /^(localhost|127\..*|\[::1\])$/.test(hostname) && port === DEFAULT_PORT;
}

/** Returns true if the server reads its port from the environment. */
const readsPort = (folder: AppFolder): boolean =>
  [
    'bin/www',
    'src/main.ts',
    'src/main.js',
    'src/index.ts',
    'app.js',
    'server.js',
    'index.js',
    'app.mjs',
    'src/app.js',
    'src/server.ts',
  ]
    .map((path) => folder.read(path) ?? '')
    .some((code) => /\benv(?:\.PORT\b|\[['"]PORT['"]\])/.test(code));

/** Returns the steps to start the server, and to call its route as a new customer. */
function apiNextSteps({ folder, connection, runScript }: NextStepsContext): string[] {
  const { url, publishableKey } = connection;
  const port = readVariable(folder, 'PORT') ?? DEFAULT_PORT;
  const hasConflict = isOnSamePort(url) && port === DEFAULT_PORT;
  return [
    ...(hasConflict ? [`Gatehouse uses port ${DEFAULT_PORT} too: change the port of this server.`] : []),
    folder.manifest.scripts?.['start'] ? `Start the server:  ${runScript('start')}` : 'Start the server.',
    'Create a customer, and call the route that requires one:',
    '',
    `  TOKEN=$(curl -sS --fail-with-body "${url}/api/v1/auth/register" \\`,
    `    -H "x-publishable-key: ${publishableKey}" \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"email": "ada@example.com", "password": "correct lamp under the old bridge"}' \\`,
    `    | node -pe 'JSON.parse(fs.readFileSync(0)).tokens.accessToken')`,
    `  curl http://localhost:${port}/orders -H "Authorization: Bearer $TOKEN"`,
  ];
}
