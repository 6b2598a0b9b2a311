import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { reportError, toGatehouseError } from '../../http/problem.filter.js';
import type { GatehouseRequest } from '../../http/request-context.js';
import { textsFor } from '../one-time-page.js';
import { sendPage } from '../page.js';
import { signInTexts } from './sign-in-texts.js';

/**
 * Responds to requests that the hosted sign-in page cannot handle. An incorrect query results in a page for the developer of
 * the application, and never in a redirect: its redirect URL cannot be trusted (FE-01).
 */
@Catch()
export class SignInPageFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const error = toGatehouseError(thrown);
    reportError(this.logger, error, http.getRequest<GatehouseRequest>());
    const response = http.getResponse<Response>();
    response.set(error.details.headers ?? {});
    const texts = textsFor(response);
    const { language, error: errorTexts } = texts;
    const { request } = signInTexts(texts);
    const [invalidField] = error.details.errors ?? [];
    sendPage(
      response,
      error.status,
      invalidField
        ? { language, title: request.title, text: request.text, hint: invalidField.message }
        : { language, title: errorTexts.title, text: errorTexts.texts[error.code] ?? request.returnText },
    );
  }
}
