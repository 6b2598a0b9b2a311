import type { components } from './openapi.js';

/** An error as Gatehouse sends it (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** A request field with an error. */
export type FieldError = NonNullable<Problem['errors']>[number];

/** The codes in the catalog in docs/errors.md. Later versions add codes. */
export type ErrorCode = Problem['code'] | 'unexpected_response' | (string & {});

/** The problem members that this package sets for errors that it finds itself. */
type LocalProblem = { code: ErrorCode; status: number; detail: string } & Partial<Omit<Problem, 'code'>>;

/** The titles for the codes that this package uses itself, as in docs/errors.md. */
const TITLES: Record<string, string> = {
  invalid_access_token: 'The access token is not valid',
  reauthentication_required: 'A new proof of identity is required',
  unavailable: 'Gatehouse is not available',
};

/** The only error class in this package: a problem from Gatehouse, or one that this package has found itself. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  /** Stable code for programs. */
  readonly code: ErrorCode;
  /** HTTP status, also for errors that this package has found itself. */
  readonly status: number;
  /** The fields with errors; empty for most codes. */
  readonly fields: FieldError[];
  /** Seconds after which a retry can succeed, or null. */
  readonly retryAfter: number | null;
  /** The request's id in Gatehouse's logs, or null if there was no response. */
  readonly requestId: string | null;
  /** With `reauthentication_required`: methods with which the customer can prove their identity. */
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
export const invalidAccessToken = (detail: string, cause?: unknown): GatehouseError =>
  new GatehouseError({ code: 'invalid_access_token', status: 401, detail }, { cause });

/** Returns the error for data that cannot be read from Gatehouse now. It must not sign anyone out. */
export const unavailable = (detail: string, cause?: unknown): GatehouseError =>
  new GatehouseError({ code: 'unavailable', status: 503, detail }, { retryAfter: 5, cause });
