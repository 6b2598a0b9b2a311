import { GatehouseError } from '@gatehouse/server';
import type { Cli } from './cli.js';
import { CliError, ExitCode } from './cli-error.js';
import { printNote, styled } from './output.js';
import { visibleJson, visibleText } from './console-shared/visible-text.js';

/** An error as it is printed. */
interface Description {
  message: string;
  /** The request fields with errors. */
  fields: { field: string; message: string }[];
  fix: string | null;
  /** Further members of the JSON line. */
  details: Record<string, unknown>;
}

/**
 * Prints an error to stderr without a stack, as one line of JSON, or as the message, the fields and the fix.
 * @returns the exit code
 */
export async function printError(cli: Cli, error: unknown): Promise<number> {
  const { message, fields, fix, details } = describeError(error);
  if (cli.isJson) {
    const line = { message, ...(fields.length > 0 && { fields }), ...(fix && { fix }), ...details };
    await printNote(cli, visibleJson({ error: line }));
  } else {
    await printNote(cli, `${styled(cli, 'red', 'Error:', cli.stderr)} ${visibleText(message)}`);
    for (const each of fields) await printNote(cli, `  ${visibleText(`${each.field}: ${each.message}`)}`);
    if (fix) await printNote(cli, `Fix: ${visibleText(fix)}`);
  }
  return error instanceof CliError ? error.exitCode : ExitCode.failure;
}

/** Returns an error's description. Commands that continue after an error also use it. */
export function describeError(error: unknown): Description {
  if (error instanceof GatehouseError) return describeProblem(error);
  const message = error instanceof Error ? error.message : String(error);
  return { message, fields: [], fix: error instanceof CliError ? error.fix : null, details: {} };
}

function describeProblem(error: GatehouseError): Description {
  const { code, status, requestId, retryAfter, problem } = error;
  const cause = rootCause(error);
  const detail = cause ? `${problem.detail} ${cause}` : problem.detail;
  const fields = error.fields.map(({ field, message }) => ({ field, message }));
  return {
    message: `${detail} (${code}${requestId ? `, request ${requestId}` : ''})`,
    fields,
    fix: FIXES[code]?.(error) ?? null,
    details: {
      code,
      status,
      ...(requestId && { requestId }),
      ...(retryAfter !== null && { retryAfter }),
      ...(problem.requiredScopes && { requiredScopes: problem.requiredScopes }),
    },
  };
}

/** The fixes for API errors, by code. The details of all other errors already contain the fix. */
const FIXES: Record<string, (error: GatehouseError) => string | null> = {
  insufficient_scope: ({ problem }) =>
    `Use a secret key with the scope ${(problem.requiredScopes ?? []).join(' and ')}. The scopes of a key cannot be changed.`,
  insufficient_access: () => 'Use a secret key with the access "organization".',
  invalid_api_key: () =>
    'Check GATEHOUSE_SECRET_KEY and GATEHOUSE_URL. The key is unknown at this URL, has expired or is revoked.',
  not_found: () => 'Check the id, and that the key can access its project.',
  rate_limited: ({ retryAfter }) => `Run the command again in ${retryAfter ?? 1} seconds.`,
  unexpected_response: () => 'Check GATEHOUSE_URL. Another server may have sent this response.',
  unavailable: ({ requestId }) => (requestId ? null : 'Check GATEHOUSE_URL, and that Gatehouse is running.'),
};

/** Returns the reason why there was no response, such as "connect ECONNREFUSED 127.0.0.1:3000", or null. */
function rootCause(error: Error): string | null {
  let found: unknown = error.cause;
  while (isError(found) && isError(found.cause)) found = found.cause;
  if (!isError(found)) return null;
  // After attempts with several addresses, the error has no message, but contains each attempt's error.
  const [first = found] = 'errors' in found ? (found.errors as unknown[]) : [];
  return isError(first) ? first.message : null;
}

const isError = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && 'message' in value;
