// oxlint-disable-next-line no-restricted-imports -- only the type
import type http from 'node:http';
import { InterimResponseError } from './interim-response.error.js';

/** Maximum number of 1xx responses to one request; a server may announce its progress. */
const MAX_INTERIM_RESPONSES = 20;

/**
 * Makes every request of an agent fail after too many 1xx responses, or after a 101, which Gatehouse never
 * requests. Node.js would wait for a final response without a limit.
 */
export function limitInterimResponses<Agent extends http.Agent>(agent: Agent): Agent {
  const inner = agent as unknown as { addRequest: (request: http.ClientRequest, options: unknown) => void };
  const addRequest = inner.addRequest.bind(agent);
  inner.addRequest = (request, options) => {
    let count = 0;
    request.on('information', () => {
      count += 1;
      if (count > MAX_INTERIM_RESPONSES) request.destroy(new InterimResponseError());
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      request.emit('error', new InterimResponseError());
    });
    addRequest(request, options);
  };
  return agent;
}
