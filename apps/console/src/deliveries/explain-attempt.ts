import { formatDuration } from '../components/time';

/** The fields of an attempt that determine how its outcome is explained. */
export interface AttemptOutcome {
  /** 0 if there was no response. */
  http_status: number;
  error: string | null;
  /** Time from the start to the response or to the failure, in ms. */
  duration_ms?: number;
}

interface Explanation {
  /** Short label for table rows: "Timed out". */
  title: string;
  /** The error's meaning, and what to check. */
  text: string;
}

const explanations: Record<string, Explanation> = {
  timeout: {
    title: 'Timed out',
    text: 'The receiver accepted the request but did not respond in time. It may still have processed the event, so it should use the event ID to detect duplicates.',
  },
  connection_error: {
    title: 'Connection failed',
    text: 'The connection was refused, or it was closed before a response arrived. Check that the receiver is running and reachable from this server.',
  },
  tls_error: {
    title: 'TLS error',
    text: 'The receiver’s certificate is not trusted: it has expired, was issued for another host name, or is signed by an unknown authority.',
  },
  dns_error: {
    title: 'DNS error',
    text: 'The host name of the receiver could not be resolved. Check the URL of the endpoint.',
  },
  blocked_address: {
    title: 'Blocked address',
    text: 'The receiver has a private or reserved IP address. Gatehouse blocks such addresses and sent nothing.',
  },
  protocol_error: {
    title: 'Invalid response',
    text: 'The response is not valid HTTP, or it was too long.',
  },
  worker_lost: {
    title: 'Worker lost',
    text: 'Either the worker stopped before it recorded the outcome (the receiver may have received the request), or it could not decrypt the endpoint’s secret or headers (nothing was sent).',
  },
};

const statusExplanations: Record<number, string> = {
  400: 'The receiver rejected the content of the request.',
  401: 'The receiver requires different credentials. Check the custom headers of the endpoint and the signing secret that the receiver uses.',
  403: 'The receiver rejected the request. Check the custom headers of the endpoint and the signing secret that the receiver uses.',
  404: 'Nothing was found at this URL. The path of the endpoint is incorrect, or the receiver is not deployed.',
  405: 'The receiver does not accept POST requests at this URL.',
  408: 'The receiver timed out while waiting for the request.',
  410: 'The receiver reports that this URL is permanently gone.',
  413: 'The body is too large for the receiver.',
  415: 'The receiver does not accept JSON.',
  429: 'The receiver is rate limiting requests.',
  500: 'The receiver failed while it processed the request. Check its logs.',
  502: 'A proxy in front of the receiver got no usable response from it.',
  503: 'The receiver, or a proxy in front of it, is temporarily unavailable.',
  504: 'A proxy in front of the receiver timed out while waiting for it.',
};

/**
 * Returns the explanation for a failed attempt, or null if it succeeded. Errors from later versions are shown by name.
 */
export function explainAttempt({
  http_status: status,
  error,
  duration_ms: ms,
}: AttemptOutcome): Explanation | null {
  if (error === null) return null;
  if (error !== 'http_error') {
    const explanation = explanations[error];
    if (!explanation)
      return {
        title: error.replaceAll('_', ' '),
        text: 'This version of the console has no description of this error.',
      };
    const isTimeout = error === 'timeout' && ms !== undefined;
    return isTimeout ? { ...explanation, title: `Timed out after ${formatDuration(ms)}` } : explanation;
  }
  return {
    title: `HTTP ${String(status).padStart(3, '0')}`,
    text: statusExplanations[status] ?? formatStatusClass(status),
  };
}

/** Returns an error's short label, for charts and filters. */
export const errorLabel = (error: string): string =>
  error === 'http_error' ? 'HTTP error' : (explanations[error]?.title ?? error.replaceAll('_', ' '));

/** Returns all error labels by name, for filters. */
export const errorLabels = (): Record<string, string> =>
  Object.fromEntries(['http_error', ...Object.keys(explanations)].map((error) => [error, errorLabel(error)]));

function formatStatusClass(status: number): string {
  if (status < 200 || status > 599)
    return 'The receiver responded with a status that is not a valid final HTTP status. Check what listens at the URL.';
  if (status < 300) return 'The receiver responded, but the response could not be used.';
  if (status < 400)
    return 'The receiver redirects the request. Redirects are not followed. Set the URL of the endpoint to the final address.';
  if (status < 500) return 'The receiver rejected the request.';
  return 'The receiver failed while it processed the request. Check its logs.';
}
