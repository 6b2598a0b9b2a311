import { GatehouseError, type Gatehouse } from '@gatehouse/server';
import type { Cli } from './cli.js';
import { CliError, usageError } from './cli-error.js';
import { isProjectId } from './settings.js';

const FIX = 'Pass --project <id>, or set GATEHOUSE_PROJECT_ID.';

/** Maximum number of projects that an error lists. */
const LISTED = 10;

/**
 * Returns the id of a command's project: from the settings, or the only project that the key can access.
 * @throws CliError with exit code 2 if the key can access several projects, or lacks `project:read`
 */
export async function getProjectId(cli: Cli, client: Gatehouse): Promise<string> {
  const { projectId } = cli.settings();
  if (projectId) return projectId;
  const projects = await listProjects(cli, client);
  if (projects.length === 1) return checkId(projects[0]!.id);
  const names = projects.slice(0, LISTED).map(({ id, name }) => `${id} (${name})`);
  if (projects.length > LISTED) names.push('…');
  throw usageError(
    names.length > 0
      ? `The key can access several projects: ${names.join(', ')}.`
      : 'The key can access only archived projects.',
    FIX,
  );
}

/**
 * Checks a project id from a response, because `listen` uses it as a file name.
 * @throws CliError if it is not a project id
 */
function checkId(id: string): string {
  if (isProjectId(id)) return id;
  throw new CliError('The response contains an invalid project id.', {
    fix: 'Check GATEHOUSE_URL. Another server may have sent this response.',
  });
}

/** Returns the projects that the key can access, but at most one more than an error lists. */
async function listProjects(cli: Cli, client: Gatehouse): Promise<{ id: string; name: string }[]> {
  const found: { id: string; name: string }[] = [];
  try {
    for await (const project of client.projects.list({ archived: false }, { signal: cli.signal })) {
      // A key with `project` access also lists other projects, but without their settings.
      if (project.settings !== null) found.push(project);
      if (found.length > LISTED) break;
    }
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'insufficient_scope')
      throw usageError(
        'The project of the key is unknown, because the key lacks the scope project:read.',
        FIX,
      );
    throw error;
  }
  return found;
}
