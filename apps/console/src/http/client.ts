import createClient from 'openapi-fetch';
import type { components, paths } from './openapi';
import { readProblem } from './problem';
import { isIdle } from './is-idle';

/** The operator API's schemas, by their names in docs/operator-openapi.json: `Schemas['DeliveryResponse']`. */
export type Schemas = components['schemas'];

/** Dispatches `end` when a response reports that the session has ended. session/session.tsx listens to it. */
export const sessionEvents = new EventTarget();

/** The operator API client, typed by its OpenAPI document. Throws a `Problem` for responses other than 2xx. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'same-origin',
  cache: 'no-store',
  // Forms on other sites cannot send this header (requirement CO-04).
  headers: { 'X-Gatehouse-Console': '1' },
});

api.use({
  onRequest({ request }) {
    // Requests other than GET always come from the operator, even if the page appears to be idle.
    if (request.method === 'GET' && isIdle()) request.headers.set('X-Gatehouse-Console', 'resting');
  },
  async onResponse({ request, response }) {
    if (response.ok) return;
    let problem = await readProblem(response);
    if (problem.code === 'operator_session_required' && request.method === 'GET') {
      // Reauthentication may have replaced the cookie after this request was sent.
      const repeated = await fetch(request);
      if (repeated.ok) return repeated;
      problem = await readProblem(repeated);
    }
    if (problem.code === 'operator_session_required') sessionEvents.dispatchEvent(new Event('end'));
    throw problem;
  },
});

/** Returns a response's body: `await unwrap(api.GET('/operator/v1/overview', …))`. */
export async function unwrap<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
