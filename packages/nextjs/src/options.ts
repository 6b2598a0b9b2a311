/** The settings of an app. */
export interface GatehouseOptions {
  /** The URL of Gatehouse (`PUBLIC_URL`). Default: GATEHOUSE_URL. */
  url?: string;
  /** Id of the project. Default: GATEHOUSE_PROJECT_ID. */
  projectId?: string;
  /** The publishable key of the project, `pk_…`. Default: GATEHOUSE_PUBLISHABLE_KEY. */
  publishableKey?: string;
  /** A secret key with the scope `customer:write`. Only `clientIp` requires it. Default: GATEHOUSE_SECRET_KEY. */
  secretKey?: string | undefined;
  /**
   * Returns the address of the customer, from a source that the customer cannot choose, or null. Rate limits and sessions
   * then use it instead of the address of this server. Default: the last address in the header that
   * GATEHOUSE_CLIENT_IP_HEADER names.
   */
  clientIp?: (request: { headers: Headers }) => string | null;
  /** The path of the route handler. Default: `/api/gatehouse`. */
  handlerPath?: string;
  /** The path of the sign-in page. Default: `/sign-in`. */
  signInUrl?: string;
  /** Whether cookies are sent over https only. Default: true for requests that were sent over https. */
  secureCookies?: boolean;
  /** Sends all requests to Gatehouse. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
}

/** The settings with their defaults. */
export interface ResolvedOptions {
  /** Without a trailing slash. */
  url: string;
  projectId: string;
  publishableKey: string;
  secretKey: string | undefined;
  clientIp: (request: { headers: Headers }) => string | null;
  /** Without a trailing slash. */
  handlerPath: string;
  signInUrl: string;
  secureCookies: boolean | undefined;
  fetch: typeof fetch;
  now: () => number;
}

// The package has no types of Node.js, and edge runtimes have `process.env` too.
declare const process: { env: Record<string, string | undefined> };

/**
 * Returns the settings, from the environment where an option is missing.
 * @throws TypeError with the name of the missing variable
 */
export function resolveOptions(options: GatehouseOptions, env = process.env): ResolvedOptions {
  const required = (value: string | undefined, variable: string): string => {
    const found = value ?? env[variable];
    if (found) return found;
    throw new TypeError(`@gatehouse/nextjs requires the environment variable ${variable}`);
  };
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  return {
    url: required(options.url, 'GATEHOUSE_URL').replace(/\/+$/, ''),
    projectId: required(options.projectId, 'GATEHOUSE_PROJECT_ID'),
    publishableKey: required(options.publishableKey, 'GATEHOUSE_PUBLISHABLE_KEY'),
    secretKey: options.secretKey ?? env['GATEHOUSE_SECRET_KEY'],
    clientIp: options.clientIp ?? lastAddressIn(env['GATEHOUSE_CLIENT_IP_HEADER']),
    handlerPath: (options.handlerPath ?? '/api/gatehouse').replace(/\/+$/, ''),
    signInUrl: options.signInUrl ?? '/sign-in',
    secureCookies: options.secureCookies,
    fetch: send,
    now: options.now ?? Date.now,
  };
}

/** Returns a function that reads the last address of a header: the one that the nearest proxy has added. */
const lastAddressIn =
  (name: string | undefined) =>
  ({ headers }: { headers: Headers }): string | null =>
    (name && headers.get(name)?.split(',').at(-1)?.trim()) || null;
