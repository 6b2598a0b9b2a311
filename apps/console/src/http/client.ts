import createClient from 'openapi-fetch';
import type { components, paths } from './openapi';
import { readProblem } from './problem';
import { isIdle } from './is-idle';

/** The records of the operator API by their names in docs/openapi.json: `Schemas['DeliveryResponse']`. */
export type Schemas = components['schemas'];

/** What the house says of a session that ended; the app listens (app/session.tsx). */
export const sessionEvents = new EventTarget();

/** The operator API, typed by its document. Answers other than 2xx are thrown, as `Problem`. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'same-origin',
  cache: 'no-store',
  // No form of another site can send it (requirement CO-04).
  headers: { 'X-Gatehouse-Console': '1' },
});

api.use({
  onRequest({ request }) {
    // A change is somebody's doing, whatever the clock says.
    if (request.method === 'GET' && isIdle()) request.headers.set('X-Gatehouse-Console', 'resting');
  },
  async onResponse({ response }) {
    if (response.ok) return;
    const problem = await readProblem(response);
    if (problem.code === 'operator_session_required') sessionEvents.dispatchEvent(new Event('end'));
    throw problem;
  },
});

/** The body of an answer: `await data(api.GET('/operator/v1/overview', …))`. */
export async function unwrap<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
