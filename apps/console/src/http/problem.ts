interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** The body of an error response (RFC 9457). Some codes have additional members, such as `redeliveredAs`. */
export interface ProblemDocument {
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors?: FieldError[];
  [member: string]: unknown;
}

/** The error for a failed request. `code` is `unreachable` and `status` is 0 if the server cannot be reached. */
export class Problem extends Error {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** Seconds to wait before a retry; null if the response does not specify it. */
  readonly retryAfter: number | null;
  /** Error messages by field, for forms. */
  readonly fields: Record<string, string>;
  constructor(
    readonly document: ProblemDocument,
    retryAfter: string | null = null,
  ) {
    super(document.detail || document.title);
    this.title = document.title;
    this.detail = document.detail;
    this.status = document.status;
    this.code = document.code;
    this.requestId = document.requestId || null;
    this.retryAfter = Number(retryAfter) || null;
    this.fields = {};
    for (const fieldError of document.errors ?? []) {
      const previous = this.fields[fieldError.field];
      this.fields[fieldError.field] = previous
        ? `${previous} ${fieldMessage(fieldError)}`
        : fieldMessage(fieldError);
    }
  }
}

/** Returns the message without the field name, which is shown beside it: "Must be an https URL". */
function fieldMessage({ field, message }: FieldError): string {
  const name = [field, field.split('.').at(-1)].find((prefix) => message.startsWith(`${prefix} `));
  const rest = name ? message.slice(name.length + 1) : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

const createProblem = (code: string, status: number, title: string, detail: string): Problem =>
  new Problem({ code, status, title, detail, requestId: '' });

/**
 * Returns the problem in a response. A response that is not from Gatehouse, for example from a proxy, becomes
 * a problem with the code `unexpected_response`.
 */
export async function readProblem(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  if (isProblem(body)) return new Problem(body, response.headers.get('Retry-After'));
  return createProblem(
    'unexpected_response',
    response.status,
    'Unexpected response',
    `The server, or a proxy in front of it, returned HTTP ${response.status} without an error description.`,
  );
}

/** Converts a thrown value to a problem. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof TypeError) {
    return createProblem(
      'unreachable',
      0,
      'Gatehouse is unreachable',
      'Check that the server is running and that you are online.',
    );
  }
  return createProblem('unexpected', 0, 'Unexpected error in the console', String(error));
}

function isProblem(body: unknown): body is ProblemDocument {
  return typeof body === 'object' && body !== null && 'code' in body && 'title' in body;
}
