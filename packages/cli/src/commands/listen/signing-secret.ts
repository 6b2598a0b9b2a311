import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Cli } from '../../cli.js';
import { usageError } from '../../cli-error.js';
import { formatSigningSecret, isSigningSecret } from './webhook-headers.js';

const VARIABLE = 'GATEHOUSE_WEBHOOK_SECRET';
const FORMAT = 'A signing secret consists of whsec_ and the base64 encoding of 24 to 64 bytes.';

/** Returns the folder in which the command line stores the user's files. */
function configFolder(env: Cli['env']): string {
  const parent =
    process.platform === 'win32' && env['APPDATA']
      ? env['APPDATA']
      : env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(parent, 'gatehouse');
}

export interface SigningSecret {
  secret: string;
  /** The file or the variable that contains it. */
  source: string;
  /** True if the command generated it, so it must be shown to the user. */
  isGenerated: boolean;
}

/**
 * Returns the signing secret that the user has passed, or the project's generated one.
 * @throws CliError with exit code 2 if it is invalid; the error does not contain it
 */
export async function getSigningSecret(
  { env, cwd }: Pick<Cli, 'env' | 'cwd'>,
  projectId: string,
  secretFile: string | undefined,
): Promise<SigningSecret> {
  const envSecret = env[VARIABLE]?.trim();
  if (secretFile === undefined && !envSecret) return readOrCreateSecret(env, projectId);
  const source = secretFile === undefined ? VARIABLE : resolve(cwd, secretFile);
  const secret = secretFile === undefined ? envSecret! : await readSecretFile(source);
  if (isSigningSecret(secret)) return { secret, source, isGenerated: false };
  throw usageError(`${source} contains no signing secret.`, FORMAT);
}

/**
 * Returns the secret that was generated for a project. It is not the secret of an endpoint, because anyone who
 * has an endpoint's secret can forge webhooks to the endpoint.
 */
async function readOrCreateSecret(env: Cli['env'], projectId: string): Promise<SigningSecret> {
  const file = join(configFolder(env), 'signing-secrets', projectId);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const created = formatSigningSecret(randomBytes(32));
  try {
    await writeFile(file, `${created}\n`, { mode: 0o600, flag: 'wx' });
    return { secret: created, source: file, isGenerated: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = await readSecretFile(file);
  if (isSigningSecret(secret)) return { secret, source: file, isGenerated: true };
  throw usageError(
    `${file} contains no signing secret.`,
    'Delete the file. The next call creates a new secret.',
  );
}

async function readSecretFile(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw usageError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}
