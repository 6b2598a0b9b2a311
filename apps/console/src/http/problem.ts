interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** The body of an error (RFC 9457); some codes have further members, such as `redeliveredAs`. */
export interface ProblemDocument {
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors?: FieldError[];
  [member: string]: unknown;
}

/** Whatever a call was refused with, also a house that cannot be reached (`code` is `unreachable`, status 0). */
export class Problem extends Error {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** Seconds after which it may be tried again; null where nobody said. */
  readonly retryAfter: number | null;
  /** What is wrong with which field, in words; for forms. */
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
    for (const fault of document.errors ?? []) {
      const before = this.fields[fault.field];
      this.fields[fault.field] = before ? `${before} ${fieldMessage(fault)}` : fieldMessage(fault);
    }
  }
}

/** Without the name of the field, which stands beside it: "Must be an https URL". */
function fieldMessage({ field, message }: FieldError): string {
  const name = [field, field.split('.').at(-1)].find((start) => message.startsWith(`${start} `));
  const rest = name ? message.slice(name.length + 1) : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

const createProblem = (code: string, status: number, title: string, detail: string): Problem =>
  new Problem({ code, status, title, detail, requestId: '' });

/** The problem in an answer, or one about an answer that is none of ours (a proxy's page, say). */
export async function readProblem(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  if (isProblem(body)) return new Problem(body, response.headers.get('Retry-After'));
  return createProblem(
    'unexpected_answer',
    response.status,
    'Unexpected response',
    `The server, or a proxy in front of it, returned HTTP ${response.status} without an error description.`,
  );
}

/** What was thrown, as a problem. */
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
