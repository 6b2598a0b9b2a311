import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { GatehouseError } from '@gatehouse/domain';
import { Config, errorCode, LOGGER, type Logger } from '@gatehouse/platform';
import { defaultLimitError } from '../limits/address-limit.js';
import { problemDocument, sendProblem } from './problem.js';
import type { GatehouseRequest } from '../request-context.js';

/**
 * Converts errors into HTTP responses for all routes. Services throw GatehouseErrors and do not handle HTTP
 * statuses.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(thrown, http.getRequest<GatehouseRequest>(), http.getResponse<Response>());
  }

  private respond(thrown: unknown, request: GatehouseRequest, response: Response): void {
    const error = preferLimitError(toGatehouseError(thrown), request);
    reportError(this.logger, error, request);
    // The rest of the body is not read, so the connection cannot be reused.
    if (error.code === 'payload_too_large') response.setHeader('Connection', 'close');
    const { requestId, path } = request;
    sendProblem(
      response,
      error,
      problemDocument(error, { requestId, path, publicUrl: this.config.publicUrl }),
    );
  }
}

/**
 * Replaces an input error with the 429 error if the request exceeds the limit, because limits are checked before the
 * input (contract, section 2). Invalid input does not identify a project, so the default limit applies.
 */
const preferLimitError = (error: GatehouseError, { counted }: GatehouseRequest): GatehouseError =>
  (error.code === 'validation_failed' && defaultLimitError(counted)) || error;

/**
 * Adds the error code to the request's log entry, and logs an unexpected error in a separate entry. Ends request
 * processing, because nothing uses the body after an error.
 */
export function reportError(logger: Logger, error: GatehouseError, request: GatehouseRequest): void {
  request.memory?.endProcessing();
  request.problemCode = error.code;
  Object.assign(request, error.details.subject);
  if (error.code !== 'internal_error') return;
  const { requestId } = request;
  logger.error({ requestId, code: error.code, error: error.details.cause ?? error }, 'request failed');
}

/** Converts a thrown value into a GatehouseError. */
export function toGatehouseError(thrown: unknown): GatehouseError {
  if (thrown instanceof GatehouseError) return thrown;
  // Express and its body reader throw errors with their own status.
  const status =
    thrown instanceof HttpException
      ? thrown.getStatus()
      : Number((thrown as { status?: unknown } | null)?.status);
  if (status === 413) return new GatehouseError('payload_too_large');
  if (status === 404 || thrown instanceof URIError) return new GatehouseError('not_found');
  if (status === 400) {
    const isPath = errorCode(thrown) === '' && thrown instanceof Error && /decode param/.test(thrown.message);
    return new GatehouseError(isPath ? 'not_found' : 'invalid_json');
  }
  return new GatehouseError('internal_error', { cause: thrown });
}
