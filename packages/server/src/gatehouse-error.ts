import type { components } from './openapi.js';

/** A problem from Gatehouse (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** An invalid request field. */
export type FieldError = NonNullable<Problem['errors']>[number];

/** The error codes that docs/errors.md lists. Later versions can add codes. */
export type ErrorCode = Problem['code'] | 'unexpected_response' | (string & {});

/** The problem members that this package sets for its own errors. */
type LocalProblem = { code: ErrorCode; status: number; detail: string } & Partial<Omit<Problem, 'code'>>;

/** Titles for the codes of errors that this package creates, as in docs/errors.md. */
const TITLES: Record<string, string> = {
  invalid_access_token: 'The access token is not valid',
  reauthentication_required: 'Reauthentication is required',
  unavailable: 'Gatehouse is not available',
};

/** A problem from Gatehouse, or one that this package detected itself. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  /** Stable error code. Base decisions on it. */
  readonly code: ErrorCode;
  /** HTTP status, even for errors that this package detected itself. */
  readonly status: number;
  /** The invalid fields. Empty for most codes. */
  readonly fields: FieldError[];
  /** Seconds until a retry can succeed, or null. */
  readonly retryAfter: number | null;
  /** Request id in the Gatehouse log, or null if there was no response. */
  readonly requestId: string | null;
  /** For `reauthentication_required`: the methods with which the customer can reauthenticate. */
  readonly methods: string[];
  /** The problem document, with the additional members that some codes have. */
  readonly problem: LocalProblem & Record<string, unknown>;

  constructor(problem: LocalProblem, options: { retryAfter?: number | null; cause?: unknown } = {}) {
    const { code, status, detail, requestId } = problem;
    super(requestId ? `${code}: ${detail} (request ${requestId})` : `${code}: ${detail}`, {
      cause: options.cause,
    });
    this.code = code;
    this.status = status;
    this.fields = problem.errors ?? [];
    this.retryAfter = options.retryAfter ?? null;
    this.requestId = requestId ?? null;
    this.methods = problem.methods ?? [];
    this.problem = { type: 'about:blank', title: TITLES[code] ?? code, ...problem };
  }
}

/** Returns the error for a missing or invalid access token. */
export const invalidAccessTokenError = (detail: string, cause?: unknown): GatehouseError =>
  new GatehouseError({ code: 'invalid_access_token', status: 401, detail }, { cause });

/** Returns the error for data that cannot be read from Gatehouse now. Do not treat it as signed out. */
export const unavailableError = (detail: string, cause?: unknown): GatehouseError =>
  new GatehouseError({ code: 'unavailable', status: 503, detail }, { retryAfter: 5, cause });
