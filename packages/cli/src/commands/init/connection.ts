import type { components, Gatehouse } from '@gatehouse/server';
import type { Cli } from '../../cli.js';
import { CliError, usageError } from '../../cli-error.js';
import { ask } from '../../prompt.js';
import { checkUrl } from '../../settings.js';
import { visibleText } from '../../console-shared/visible-text.js';
import { askSecret } from './ask-secret.js';
import { readVariable } from './env-file.js';
import type { Framework } from './framework.js';
import type { AppFolder } from './app-folder.js';

type Project = components['schemas']['ListedProjectResponse'];

/** The installation and the project that the app will use, before any change to them. */
export interface Target {
  url: string;
  projectId: string;
  /** Null if `init` creates one. */
  publishableKey: string | null;
  /** The project and the client with the secret key. Null if no secret key was necessary. */
  management: { client: Gatehouse; project: Project } | null;
}

/** The variable for the project's id. */
const PROJECT_VARIABLE = 'GATEHOUSE_PROJECT_ID';

/**
 * Returns the installation and the project that the app will use. Without a publishable key, a secret key is required.
 * On a terminal, prompts for missing settings.
 * @throws CliError, or GatehouseError, if the installation rejects one of the keys
 */
export async function findTarget(
  cli: Cli,
  folder: AppFolder,
  framework: Framework,
  publishableKeyFlag: string | undefined,
): Promise<Target> {
  const find = (flag: string | undefined, ...names: string[]): string | undefined =>
    [flag, ...names.flatMap((name) => [cli.env[name], readVariable(folder, name)])]
      .map((text) => text?.trim())
      .find(Boolean);
  const key = find(publishableKeyFlag, 'GATEHOUSE_PUBLISHABLE_KEY', framework.publishableKeyVariable);
  const url = find(cli.flags.url, 'GATEHOUSE_URL', framework.urlVariable);
  const projectId = find(cli.flags.project, PROJECT_VARIABLE);
  if (key && url && (projectId || !framework.needsProject)) {
    const target = { url: checkUrl(url), projectId: projectId ?? '', publishableKey: key };
    await checkPublishableKey(cli, target.url, key);
    return { ...target, management: null };
  }
  await askForSettings(cli, folder, url);
  const client = cli.connect();
  const found = await chooseProject(cli, client);
  if (key) await checkPublishableKey(cli, cli.settings().url, key);
  return {
    url: cli.settings().url,
    projectId: found.id,
    publishableKey: key ?? null,
    management: { client, project: found },
  };
}

/** Prompts for the URL and the secret key if they are not set and stdin is a terminal. */
async function askForSettings(cli: Cli, folder: AppFolder, known: string | undefined): Promise<void> {
  if (!cli.stdin.isTTY) return;
  if (!cli.flags.url && !cli.env['GATEHOUSE_URL']) {
    const defaultUrl = known ?? 'http://127.0.0.1:3000';
    cli.flags.url = (await ask(cli, `URL of Gatehouse (${visibleText(defaultUrl)}):`, '')) || defaultUrl;
  }
  const isSet = cli.flags.keyFile || cli.env['GATEHOUSE_SECRET_KEY'];
  if (isSet || readVariable(folder, 'GATEHOUSE_SECRET_KEY')) return;
  const secretKey = await askSecret(cli, 'Secret key of the project or organization (sk_…, not shown):');
  cli.env = { ...cli.env, GATEHOUSE_SECRET_KEY: secretKey };
}

/**
 * Returns the project in the settings, the only project that the key can access, or the user's choice.
 * @throws CliError with exit code 2 if there are several, and no terminal to prompt on
 */
async function chooseProject(cli: Cli, client: Gatehouse): Promise<Project> {
  const { projectId, url } = cli.settings();
  const options = { signal: cli.signal };
  if (projectId) return client.projects.get(projectId, {}, options);
  const projects: Project[] = [];
  try {
    for await (const each of client.projects.list({ archived: false }, options))
      // A key with `project` access also lists other projects, but without their settings.
      if (each.settings !== null) projects.push(each);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(`The server at ${url} is not Gatehouse.`, {
      fix: 'Pass the PUBLIC_URL of Gatehouse with --url <url>.',
      cause: error,
    });
  }
  if (projects.length === 1) return projects[0]!;
  const names = projects.map(({ id, name, environment }) => `${visibleText(name)} (${environment}): ${id}`);
  if (projects.length === 0 || !cli.stdin.isTTY)
    throw usageError(
      `The key can access ${projects.length === 0 ? 'no project' : `several projects: ${names.join(', ')}`}.`,
      'Pass --project <id>.',
    );
  const lines = names.map((name, index) => `  ${index + 1}  ${name}\n`).join('');
  const answer = await ask(cli, `The key can access several projects:\n${lines}Number of the project:`, '');
  const chosen = /^\d+$/.test(answer) ? projects[Number(answer) - 1] : undefined;
  if (chosen) return chosen;
  throw usageError(`There is no project with the number ${visibleText(answer) || '0'}.`);
}

/** Checks the URL and a publishable key. @throws CliError that states which of them is wrong */
async function checkPublishableKey(cli: Cli, url: string, key: string): Promise<void> {
  if (key.startsWith('sk_'))
    throw usageError(
      'The value of the publishable key is a secret key. It would be exposed to everyone.',
      'Use a key that begins with pk_.',
    );
  const response = await fetch(`${url}/api/v1/auth/options`, {
    headers: { 'x-publishable-key': key },
    signal: AbortSignal.any([cli.signal, AbortSignal.timeout(10_000)]),
  }).catch((cause: unknown) => {
    throw new CliError(`Gatehouse does not respond at ${url}.`, {
      fix: 'Check the URL, and start Gatehouse.',
      cause,
    });
  });
  if (response.ok) return;
  const { code } = (await response.json().catch(() => ({}))) as { code?: string };
  throw code === 'invalid_api_key' || code === 'wrong_credential_type'
    ? new CliError(`The publishable key is not valid at ${url}.`, {
        fix: 'Remove it from the environment and the .env file: `init` then creates one with the secret key.',
      })
    : new CliError(
        `The server at ${url} responded with the status ${response.status}${code ? ` (${code})` : ''}.`,
        {
          fix: 'Pass the PUBLIC_URL of Gatehouse with --url <url>.',
        },
      );
}

/** Creates a publishable key for the app. @returns its value */
export async function createPublishableKey(
  { client, project }: NonNullable<Target['management']>,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const body = { name: name.slice(0, 100), type: 'publishable' as const };
  return (await client.apiKeys.create(project.id, body, { signal })).key;
}
