import { readFileSync } from 'node:fs';
import { load, YAML11_SCHEMA } from 'js-yaml';

/**
 * The docker-compose.yml service properties that are checked.
 * @typedef {{
 *   image: string, build?: string, user?: string, command?: string[], environment?: Record<string, string>,
 *   ports?: string[], networks: string[], volumes?: string[], healthcheck?: { test: string[] },
 *   read_only?: boolean, tmpfs?: string[], cap_drop?: string[], security_opt?: string[],
 *   stop_grace_period?: string, depends_on?: string[], container_name?: string, privileged?: boolean,
 *   extra_hosts?: string[],
 * }} ComposeService
 * @typedef {{
 *   services: Record<string, ComposeService>, networks: Record<string, { internal?: boolean } | null>,
 *   volumes: Record<string, unknown>,
 * }} Compose
 */

/**
 * Returns docker-compose.yml with its variables interpolated by Compose's rules. The schema is YAML 1.1, because it
 * supports merge keys. scripts/check-files.mjs finds values that YAML 1.1 reads as a boolean or a number, such as a
 * bare `off`.
 * @param {Record<string, string | undefined>} env the variables
 * @returns {Compose}
 * @throws Error with the message from `${NAME:?message}` for a variable that is not set
 */
export function readCompose(env) {
  const text = readFileSync('docker-compose.yml', 'utf8');
  return /** @type {Compose} */ (interpolate(load(text, { schema: YAML11_SCHEMA }), env));
}

/**
 * Returns the Dockerfile's instructions, each on one line, and a function that returns the arguments of all
 * instructions with a name.
 */
export function readDockerfile() {
  const instructions = readFileSync('Dockerfile', 'utf8')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ', 1)[0], rest: line.slice(line.indexOf(' ') + 1) }));
  /** @param {string} name */
  const all = (name) => instructions.filter((each) => each.name === name).map(({ rest }) => rest);
  return { instructions, all };
}

/**
 * @param {unknown} value
 * @param {Record<string, string | undefined>} env
 * @returns {unknown}
 */
function interpolate(value, env) {
  if (typeof value === 'string') return interpolateText(value, env);
  if (Array.isArray(value)) return value.map((entry) => interpolate(entry, env));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, interpolate(entry, env)]));
}

/**
 * @param {string} value
 * @param {Record<string, string | undefined>} env
 */
const interpolateText = (value, env) =>
  value.replace(/\$\$|\$\{(\w+):([-?])([^}]*)\}|\$/g, (found, name, kind, rest = '') => {
    if (found === '$$') return '$';
    if (!name) throw new Error(`docker-compose.yml has a $ that is neither $$ nor a variable: ${value}`);
    if (env[name]) return env[name];
    if (kind === '-') return rest;
    throw new Error(`${name}: ${rest}`);
  });
