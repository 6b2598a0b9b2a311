/** An invalid request field. */
export interface FieldError {
  /** Field name, such as `email`. */
  field: string;
  /** Problem code, such as `required`. */
  code: string;
  /** Message for developers. */
  message: string;
}

/** Additional GatehouseError properties. */
export interface ErrorDetails {
  status?: number;
  fields?: FieldError[];
  reasons?: string[];
  methods?: string[];
  provider?: string | undefined;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** The only error class that the client throws. Base decisions on `code`; the message is for developers. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  /** HTTP status, or 0 if Gatehouse did not respond. */
  declare readonly status: number;
  /** The invalid fields for `validation_failed`. */
  declare readonly fields: FieldError[];
  /** The reasons for `weak_password`. */
  declare readonly reasons: string[];
  /** The methods that `reauthentication_required` accepts. */
  declare readonly methods: string[];
  /** The required identity provider's slug, for `sso_required`. */
  declare readonly provider: string | undefined;
  /** Seconds until another attempt can succeed. */
  declare readonly retryAfter: number | undefined;
  /** Request id in the Gatehouse log. */
  declare readonly requestId: string | undefined;

  constructor(
    /** An API code, or a client code such as `network_error`, `timeout`, `signed_out` or `no_secure_random`. */
    readonly code: string,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    const { cause: _, ...rest } = details;
    Object.assign(this, { status: 0, fields: [], reasons: [], methods: [] }, rest);
  }
}

/** Converts an error response. The body is a problem (RFC 9457) unless the response is from a proxy. */
export function toGatehouseError({ status, headers }: Response, body: unknown): GatehouseError {
  const problem = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const retryAfter = Number(headers.get('Retry-After') ?? NaN);
  return new GatehouseError(
    (problem['code'] as string | undefined) ?? 'unknown',
    (problem['detail'] as string | undefined) ?? `Gatehouse returned status ${status}`,
    {
      status,
      fields: (problem['errors'] ?? []) as FieldError[],
      reasons: (problem['reasons'] ?? []) as string[],
      methods: (problem['methods'] ?? []) as string[],
      provider: problem['provider'] as string | undefined,
      retryAfter: retryAfter >= 0 ? retryAfter : undefined,
      requestId: headers.get('X-Request-Id') ?? undefined,
    },
  );
}

/** The error codes of a 401 refresh response that mean that the session has ended. */
export const sessionEndingCodes = [
  'invalid_refresh_token',
  'refresh_token_expired',
  'refresh_token_reused',
  'reauthentication_required',
];

/**
 * Returns true if a refresh was rejected because the session has ended. After any other error, the session remains
 * active.
 */
export const endsSession = (error: unknown): error is GatehouseError =>
  error instanceof GatehouseError && error.status === 401 && sessionEndingCodes.includes(error.code);

/** Returns true if a request got no response. Gatehouse may or may not have processed it. */
export const isLost = (error: unknown): boolean =>
  error instanceof GatehouseError && (error.code === 'network_error' || error.code === 'timeout');
