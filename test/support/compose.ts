import { readFileSync } from 'node:fs';
import { load, YAML11_SCHEMA } from 'js-yaml';

/** What docker-compose.yml says of a service, as far as a test asks. */
export interface ComposeService {
  image: string;
  build?: string;
  user?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks: string[];
  volumes?: string[];
  healthcheck?: { test: string[] };
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  depends_on?: string[];
  container_name?: string;
  privileged?: boolean;
}

export interface Compose {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
}

/**
 * docker-compose.yml with the variables of `.env` put in, by the rules of Compose. The schema is that of YAML 1.1, which
 * knows merge keys; what it takes for a boolean or a number, such as a bare `off`, a test of the environment finds.
 * @throws Error with the message of `${NAME:?message}` for a variable that is not set
 */
export function readCompose(env: Record<string, string | undefined>): Compose {
  const text = readFileSync('docker-compose.yml', 'utf8');
  return interpolate(load(text, { schema: YAML11_SCHEMA }), env) as Compose;
}

function interpolate(value: unknown, env: Record<string, string | undefined>): unknown {
  if (typeof value === 'string') return text(value, env);
  if (Array.isArray(value)) return value.map((entry) => interpolate(entry, env));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, interpolate(entry, env)]));
}

const text = (value: string, env: Record<string, string | undefined>): string =>
  value.replace(/\$\$|\$\{(\w+):([-?])([^}]*)\}|\$/g, (found, name?: string, kind?: string, rest = '') => {
    if (found === '$$') return '$';
    if (!name) throw new Error(`docker-compose.yml has a $ that is neither $$ nor a variable: ${value}`);
    if (env[name]) return env[name];
    if (kind === '-') return rest;
    throw new Error(`${name}: ${rest}`);
  });
