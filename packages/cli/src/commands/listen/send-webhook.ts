import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Cli } from '../../cli.js';
import { classifyError, type SendError } from './classify-error.js';

/** Time limit for a request, from the DNS lookup to the end of the response, in ms. */
export const TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 16 * 1_024;

/** A receiver's response, or the error for a request without one. */
export interface SendResult {
  /** 0 without a response. */
  status: number;
  /** Null after a response with a 2xx status. */
  error: SendError | null;
  durationMs: number;
  /** The first part of the response body, as text. */
  responseBody: string;
}

export interface SendOptions {
  headers: Record<string, string>;
  body: string;
  wait: Cli['wait'];
  /** Ends the request. */
  signal: AbortSignal;
}

/**
 * Sends a POST request over a new connection, without following redirects.
 * @throws the reason in `signal` if it was aborted before the response
 */
export async function sendWebhook(target: URL, options: SendOptions): Promise<SendResult> {
  const { wait, signal } = options;
  const [deadline, finished] = [new AbortController(), new AbortController()];
  void wait(TIMEOUT_MS, finished.signal).then(() => deadline.abort());
  const startedMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startedMs);
  try {
    const response = await post(target, options, AbortSignal.any([signal, deadline.signal]));
    const durationMs = elapsedMs();
    const status = response.statusCode ?? 0;
    const isSuccess = status >= 200 && status < 300;
    const error = isSuccess ? null : describeStatus(status);
    return { status, error, durationMs, responseBody: await readStart(response) };
  } catch (error) {
    signal.throwIfAborted();
    return {
      status: 0,
      error: classifyError(error, { target, isTimeout: deadline.signal.aborted }),
      durationMs: elapsedMs(),
      responseBody: '',
    };
  } finally {
    finished.abort();
  }
}

function post(target: URL, { headers, body }: SendOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const length = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    // Without an agent, each request opens a new connection. An idle connection would break when the receiver restarts.
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': length },
      agent: false,
      signal,
    };
    request(target, options, resolve).on('error', reject).end(body);
  });
}

const describeStatus = (status: number): SendError => ({
  code: 'http_error',
  message:
    status >= 300 && status < 400
      ? 'the receiver redirects, and redirects are not followed'
      : `the receiver responded with ${status}`,
  isUnreachable: false,
});

/** Returns the beginning of the body. An error while reading it does not change the outcome. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop closes the connection.
      if (length > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The receiver, the time limit or the end of the command has cut off the body.
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString();
}
