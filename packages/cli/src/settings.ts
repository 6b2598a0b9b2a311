import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { usageError } from './cli-error.js';

/** The settings of all commands that call the API. */
export interface Settings {
  /** The Gatehouse URL, without a trailing slash. */
  url: string;
  secretKey: string;
  /** Id of the project to which the command is limited. */
  projectId?: string;
}

/** The flags that override the environment. The key has no flag, because other users can list process arguments. */
export interface SettingFlags {
  url?: string;
  keyFile?: string;
  project?: string;
}

/** The files in the working directory, in order of precedence. */
const FILES = ['.env.local', '.env'];

/** A value that the user has set in a flag or the environment, or that is from a file in the working directory. */
interface Value {
  text: string;
  isFromFolder: boolean;
}

/**
 * Returns the settings from flags, the environment, and the `.env` files in the working directory, in this order.
 * @throws CliError with exit code 2 if a setting is missing or invalid
 */
export function readSettings(
  { env, cwd }: { env: Record<string, string | undefined>; cwd: string },
  flags: SettingFlags,
): Settings {
  const find = createLookup(env, cwd);
  const url = flags.url === undefined ? find('GATEHOUSE_URL') : fromUser(flags.url);
  const key =
    flags.keyFile === undefined
      ? find('GATEHOUSE_SECRET_KEY')
      : fromUser(readKeyFile(resolve(cwd, flags.keyFile)));
  const projectId = flags.project ?? find('GATEHOUSE_PROJECT_ID')?.text;
  if (!url)
    throw usageError(
      'GATEHOUSE_URL is not set.',
      'Set it to the URL of Gatehouse in the environment or in .env, or pass --url <url>.',
    );
  if (!key)
    throw usageError(
      'GATEHOUSE_SECRET_KEY is not set.',
      'Set it in the environment or in .env, or pass --key-file <file>.',
    );
  // Without this check, a `.env` file in a downloaded folder could send the user's key to its author.
  if (url.isFromFolder && !key.isFromFolder)
    throw usageError(
      'GATEHOUSE_URL is set in a file in this folder, but the secret key is not. The key could be sent to the wrong server.',
      'Set GATEHOUSE_URL where GATEHOUSE_SECRET_KEY is set, or pass --url <url>.',
    );
  return {
    url: checkUrl(url.text),
    secretKey: checkKey(key.text),
    ...(projectId && { projectId: checkProject(projectId) }),
  };
}

const fromUser = (text: string): Value => ({ text, isFromFolder: false });

/**
 * Returns a function that finds a variable in the environment, then in the files. An empty variable counts as not set.
 */
function createLookup(env: Record<string, string | undefined>, cwd: string) {
  const files = FILES.map((name) => parseEnv(readOptional(join(cwd, name))));
  return (name: string): Value | undefined => {
    const fromEnvironment = env[name];
    const text = fromEnvironment ?? files.find((file) => file[name])?.[name];
    return text?.trim() ? { text: text.trim(), isFromFolder: fromEnvironment === undefined } : undefined;
  };
}

function readOptional(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw usageError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw usageError(`Cannot read the key file ${file}: ${(error as Error).message}`);
  }
}

/** Returns a URL without a trailing slash. The error does not contain an invalid URL, which may contain a password. */
export function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isUsable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (!isUsable || url.search || url.hash)
    throw usageError(
      'The Gatehouse URL is invalid.',
      'Use its PUBLIC_URL, such as https://auth.example.com, without a user name, password or query.',
    );
  return url.href.replace(/\/+$/, '');
}

/** Returns a valid secret key. Errors never contain it. */
export function checkKey(text: string): string {
  if (text.startsWith('pk_'))
    throw usageError(
      'The key is a publishable key.',
      'Use a secret key: sk_… in the console, under the API keys of the project.',
    );
  if (!/^sk_[0-9A-Za-z]+$/.test(text))
    throw usageError('The secret key is invalid.', 'A secret key consists of sk_ and letters and digits.');
  return text;
}

/** Returns true if a string is a project id, which is safe as a file name. */
export const isProjectId = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

function checkProject(text: string): string {
  if (isProjectId(text)) return text;
  throw usageError('The project id is invalid.', 'Use its id, a UUID, not its name.');
}
