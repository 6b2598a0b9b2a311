import type { GatehouseError } from './gatehouse-error.js';

/** A request in a Node.js server, Express or Fastify. */
export interface NodeRequest {
  headers: Record<string, string | string[] | undefined>;
}

/** A response in a Node.js server or Express. */
interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

/** A response in Fastify. */
interface FastifyReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string): unknown;
}

const isFastifyReply = (response: object): response is FastifyReply =>
  'send' in response && 'code' in response && !('setHeader' in response);

/** Sends a response through Node.js, Express or Fastify. */
export function respond(
  response: object,
  status: number,
  headers: Record<string, string>,
  body?: string,
): void {
  if (isFastifyReply(response)) {
    response.code(status);
    for (const [name, value] of Object.entries(headers)) response.header(name, value);
    response.send(body);
    return;
  }
  const node = response as NodeResponse;
  node.statusCode = status;
  for (const [name, value] of Object.entries(headers)) node.setHeader(name, value);
  node.end(body);
}

/** Converts an error to the response that Gatehouse would send (RFC 9457), for servers that use Web APIs. */
export const problemResponse = (error: GatehouseError): Response =>
  new Response(JSON.stringify(error.problem), { status: error.status, headers: problemHeaders(error) });

/** Returns the headers for an error response. */
export function problemHeaders(error: GatehouseError): Record<string, string> {
  const challenge = describeChallenge(error);
  return {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(challenge && { 'WWW-Authenticate': challenge }),
    ...(error.retryAfter !== null && { 'Retry-After': String(error.retryAfter) }),
  };
}

/** Returns the RFC 6750 challenge, or the RFC 9470 challenge if the authentication is too old or too weak. */
function describeChallenge({ code, status }: GatehouseError): string | null {
  if (status === 401) return 'Bearer error="invalid_token"';
  return code === 'reauthentication_required' ? 'Bearer error="insufficient_user_authentication"' : null;
}
