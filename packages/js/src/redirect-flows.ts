import type { ClientCore } from './client-core.js';
import type { Redirect } from './redirect-url.js';

/** A flow that leaves the page and returns to the redirect URL. */
export interface Flow {
  kind: 'sign_in' | 'link' | 'reauthenticate';
  /** The value that the redirect must return. Null for flows without a state. */
  state: string | null;
  codeVerifier: string;
  redirectUrl: string;
  /** In milliseconds since 1970. */
  createdAt: number;
}

const KEY = 'gatehouse.flows';
/**
 * Maximum age of a stored flow, in milliseconds. Flows are valid for ten minutes; the margin allows for clock changes.
 */
const MAX_AGE = 3_600_000;
const MAX_FLOWS = 10;

async function read(core: ClientCore): Promise<Flow[]> {
  try {
    const flows = JSON.parse((await core.flowStorage.getItem(KEY)) ?? '[]') as Flow[];
    return flows.filter(({ createdAt }) => Math.abs(core.platform.now() - createdAt) < MAX_AGE);
  } catch {
    return [];
  }
}

const write = async (core: ClientCore, flows: Flow[]): Promise<void> =>
  void (await core.flowStorage.setItem(KEY, JSON.stringify(flows.slice(0, MAX_FLOWS))));

/** Stores a flow at the start of the list, so that the newest flow comes first. */
export const addFlow = async (core: ClientCore, flow: Flow): Promise<void> =>
  write(core, [flow, ...(await read(core))]);

/** Removes a flow. A flow can be completed only once. */
export const removeFlow = async (core: ClientCore, { codeVerifier }: Flow): Promise<void> =>
  write(
    core,
    (await read(core)).filter((flow) => flow.codeVerifier !== codeVerifier),
  );

/**
 * Returns the flow that a redirect completes: the one with the same state, or the newest one without a state for the
 * same URL.
 */
export async function findFlow(core: ClientCore, redirect: Redirect): Promise<Flow | null> {
  const { code, error, state, cleanUrl } = redirect;
  if (!code && !error) return null;
  const isOwn = (flow: Flow): boolean =>
    flow.state === null
      ? state === undefined && normalizeUrl(flow.redirectUrl) === normalizeUrl(cleanUrl)
      : flow.state === state;
  return (await read(core)).find(isOwn) ?? null;
}

/** Normalizes a URL for comparison: browsers add a slash to a URL without a path. */
const normalizeUrl = (url: string): string => url.replace(/#.*$/s, '').replace(/\/(?=\?|$)/, '');
