import type { ServerResponse } from 'node:http';
import { errorCatalog, type GatehouseError } from '@gatehouse/domain';

/** Path of the error code documentation. */
const ERROR_DOCS_PATH = '/docs/errors';

/** Returns an error's problem document (RFC 9457; contract, section 2). */
export function problemDocument(
  error: GatehouseError,
  context: { requestId: string; publicUrl: string; path: string },
): Record<string, unknown> {
  const { errors, members } = error.details;
  return {
    ...(context.path.startsWith('/v1/') ? { success: false } : {}),
    type: `${context.publicUrl}${ERROR_DOCS_PATH}#${error.code}`,
    title: errorCatalog[error.code].title,
    status: error.status,
    detail: problemDetail(error),
    code: error.code,
    requestId: context.requestId,
    ...(errors ? { errors } : {}),
    ...members,
  };
}

/** Returns the error's detail, or the cause and remedy of its code. */
function problemDetail({ code, details: { detail, errors = [] } }: GatehouseError): string {
  if (detail) return detail;
  if (code === 'validation_failed' && errors.length > 0) {
    const others = errors.length - 1;
    return `${errors[0]!.message}${others > 0 ? ` (errors[] lists ${others} more)` : ''}.`;
  }
  const { cause, remedy } = errorCatalog[code];
  return `${cause} ${remedy}`;
}

export function sendProblem(
  response: ServerResponse,
  error: GatehouseError,
  document: Record<string, unknown>,
): void {
  for (const [name, value] of Object.entries(error.details.headers ?? {})) response.setHeader(name, value);
  response.statusCode = error.status;
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.end(JSON.stringify(document));
}
