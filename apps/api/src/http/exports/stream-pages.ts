import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode, errorMessage, STALL_MS, type Logger } from '@gatehouse/platform';

/**
 * Streams a long body as fast as the client reads it. Once the headers have been sent, an error can only be
 * reported by closing the connection, which leaves the body incomplete.
 * @param logFields identifies the body in the log
 */
export async function streamPages(
  pages: AsyncGenerator<string>,
  response: ServerResponse,
  logger: Logger,
  logFields: Record<string, unknown>,
): Promise<void> {
  response.setTimeout(STALL_MS);
  try {
    await pipeline(Readable.from(pages), response);
  } catch (error) {
    response.destroy();
    if (errorCode(error) === 'ERR_STREAM_PREMATURE_CLOSE') return;
    logger.warn({ ...logFields, reason: errorMessage(error) }, 'export aborted');
  }
}
