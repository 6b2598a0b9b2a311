import { duration } from './time';

/** How an attempt ended, as far as it explains the end. */
export interface AttemptEnd {
  /** 0 when nothing answered. */
  http_status: number;
  error: string | null;
  /** From the start to the answer, or to giving up. */
  duration_ms?: number;
}

interface Explanation {
  /** A few words, for a row: "Timed out". */
  title: string;
  /** What it means, and where to look. */
  text: string;
}

const explanations: Record<string, Explanation> = {
  timeout: {
    title: 'Timed out',
    text: 'The target took the request but did not answer in time. It may have done its work all the same: it should know an event that comes again by its id.',
  },
  connection_error: {
    title: 'No connection',
    text: 'Nothing took the connection, or it broke before an answer came. Is the target running, and can it be reached from here?',
  },
  tls_error: {
    title: 'TLS failed',
    text: 'The target could not be trusted: its certificate has expired, is for another name, or is signed by nobody known here.',
  },
  dns_error: {
    title: 'Unknown host',
    text: 'The name of the target could not be resolved. Is the URL of the endpoint right?',
  },
  blocked_address: {
    title: 'Blocked address',
    text: 'The target is at a private or reserved address, to which nothing is sent. Nothing left this house.',
  },
  protocol_error: {
    title: 'Not HTTP',
    text: 'What came back is no valid HTTP answer, or it was too long.',
  },
  worker_lost: {
    title: 'Worker lost',
    text: 'The worker that made this attempt stopped before it could write down how it ended. The target may have got the request.',
  },
};

const statuses: Record<number, string> = {
  400: 'The target understood the request but refused what it says.',
  401: 'The target wants other credentials: look at the headers of the endpoint and at the secret the target checks with.',
  403: 'The target refuses the request: look at the headers of the endpoint and at the secret the target checks with.',
  404: 'There is nothing at this URL: the path of the endpoint is wrong, or the target was not deployed.',
  405: 'The target takes no POST at this URL.',
  408: 'The target waited too long for the request.',
  410: 'The target says that it is gone for good.',
  413: 'The body is too large for the target.',
  415: 'The target takes no JSON.',
  429: 'The target gets more than it can take, and asks to wait.',
  500: 'The target broke while it handled the request: its own log knows why.',
  502: 'A proxy before the target got no usable answer from it.',
  503: 'The target, or a proxy before it, is out of service at the moment.',
  504: 'A proxy before the target waited for it in vain.',
};

/** Why an attempt failed, in words; null when it succeeded. What later versions add is told by its name. */
export function explainAttempt({
  http_status: status,
  error,
  duration_ms: ms,
}: AttemptEnd): Explanation | null {
  if (error === null) return null;
  if (error !== 'http_error') {
    const known = explanations[error];
    if (!known) return { title: error.replaceAll('_', ' '), text: 'This console does not know this error.' };
    const isTimeout = error === 'timeout' && ms !== undefined;
    return isTimeout ? { ...known, title: `Timed out after ${duration(ms)}` } : known;
  }
  return { title: `Answered ${status}`, text: statuses[status] ?? classInWords(status) };
}

/** A few words for an error alone, as figures and filters have them. */
export const errorName = (error: string): string =>
  error === 'http_error' ? 'HTTP error' : (explanations[error]?.title ?? error.replaceAll('_', ' '));

/** All errors by their names, to choose from. */
export const errorNames = (): Record<string, string> =>
  Object.fromEntries(['http_error', ...Object.keys(explanations)].map((error) => [error, errorName(error)]));

function classInWords(status: number): string {
  if (status < 300) return 'The target answered, but its answer could not be used.';
  if (status < 400)
    return 'The target redirects. Redirects are not followed: set the URL of the endpoint to where it leads.';
  if (status < 500) return 'The target refuses the request.';
  return 'The target broke while it handled the request: its own log knows why.';
}
