/** An app's settings. */
export interface GatehouseOptions {
  /** The Gatehouse URL (`PUBLIC_URL`). Default: GATEHOUSE_URL. */
  url?: string;
  /** The project's id. Default: GATEHOUSE_PROJECT_ID. */
  projectId?: string;
  /** The project's publishable key, `pk_…`. Default: GATEHOUSE_PUBLISHABLE_KEY. */
  publishableKey?: string;
  /** A secret key with the `customer:write` scope. Required only for `clientIp`. Default: GATEHOUSE_SECRET_KEY. */
  secretKey?: string | undefined;
  /**
   * Returns the customer's IP, or null. Rate limits and sessions use it instead of this server's IP, so it must come
   * from a source that customers cannot forge. Default: the last address in the header that GATEHOUSE_CLIENT_IP_HEADER
   * names.
   */
  clientIp?: (request: { headers: Headers }) => string | null;
  /** The path of the route handlers. Default: `/api/gatehouse`. */
  handlerPath?: string;
  /** The path of the sign-in page. Default: `/sign-in`. */
  signInUrl?: string;
  /** True to send cookies only over https. Default: true for requests that were sent over https. */
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

// The package does not depend on Node.js types. Edge runtimes have `process.env` too.
declare const process: { env: Record<string, string | undefined> };

/**
 * Returns the settings. Reads options that are not set from environment variables.
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
    clientIp: options.clientIp ?? createLastAddressReader(env['GATEHOUSE_CLIENT_IP_HEADER']),
    handlerPath: (options.handlerPath ?? '/api/gatehouse').replace(/\/+$/, ''),
    signInUrl: options.signInUrl ?? '/sign-in',
    secureCookies: options.secureCookies,
    fetch: send,
    now: options.now ?? Date.now,
  };
}

/** Returns a function that reads the last address in a header. The nearest proxy added it. */
const createLastAddressReader =
  (name: string | undefined) =>
  ({ headers }: { headers: Headers }): string | null =>
    (name && headers.get(name)?.split(',').at(-1)?.trim()) || null;
