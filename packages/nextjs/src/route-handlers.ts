import type { NextRequest } from 'next/server.js';
import { environment, type Deployment } from './deployment.js';
import { handleRequest } from './handle-request.js';

/** A Next.js route handler. */
export type RouteHandler = (request: NextRequest) => Promise<Response>;

/** Returns the route handlers for `app/api/gatehouse/[...path]/route.ts`. */
export function createHandlers(
  deployment: () => Deployment,
): Record<'GET' | 'POST' | 'PATCH' | 'DELETE', RouteHandler> {
  const handle: RouteHandler = (request) => handleRequest(deployment(), request);
  return { GET: handle, POST: handle, PATCH: handle, DELETE: handle };
}

/** The route handlers with settings from environment variables. */
export const { GET, POST, PATCH, DELETE } = createHandlers(environment);
