import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import type { ErrorCode } from '@gatehouse/domain';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { reportError, toGatehouseError } from '../http/problem.filter.js';
import type { GatehouseRequest } from '../http/request-context.js';
import { sendPage } from './page.js';

const errorTexts: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'Too many requests. Wait a minute and try again.',
  overloaded: 'The service is busy. Go back and try again in a moment.',
  unavailable: 'The service is temporarily unavailable. Go back and try again in a moment.',
  internal_error: 'An unexpected error occurred. Go back and try again in a moment.',
  email_already_registered: 'Another account already uses this email address. Your address was not changed.',
  invalid_token: 'The link has already been used or was replaced.',
};

/** Responds to errors of the hosted pages with a page instead of a problem document. */
@Catch()
export class PageFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const error = toGatehouseError(thrown);
    reportError(this.logger, error, http.getRequest<GatehouseRequest>());
    const response = http.getResponse<Response>();
    response.set(error.details.headers ?? {});
    sendPage(response, error.status, {
      title: 'Something went wrong',
      text: errorTexts[error.code] ?? 'Open the link in your email again.',
    });
  }
}
