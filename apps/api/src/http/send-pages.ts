import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode, errorMessage, type Logger } from '@gatehouse/platform';

/** A reader who takes nothing for so many ms is gone. */
const STALL_MS = 60_000;

/**
 * Sends a long body as fast as it is taken. What goes wrong from here on can only be shown by breaking off: then the
 * end of the body is missing.
 * @param logFields names the body in the log
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
