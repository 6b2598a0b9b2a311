import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import type { GatehouseError } from '@gatehouse/domain';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { reportError, toGatehouseError } from '../http/problems/problem.filter.js';
import type { GatehouseRequest } from '../http/request-context.js';
import { textsFor } from './link-page.js';
import type { PageTexts } from './page-texts.js';
import { sendPage, type PageContent } from './page.js';

/** Responds to errors on hosted pages with a page instead of a problem document. */
@Catch()
export class PageFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const error = toGatehouseError(thrown);
    reportError(this.logger, error, http.getRequest<GatehouseRequest>());
    const response = http.getResponse<Response>();
    response.set(error.details.headers ?? {});
    const texts = textsFor(response);
    sendPage(response, error.status, { language: texts.language, ...this.describe(error, texts) });
  }

  /** Returns the title and the text for an error. */
  protected describe({ code }: GatehouseError, { error: texts }: PageTexts): Omit<PageContent, 'language'> {
    return { title: texts.title, text: texts.texts[code] ?? texts.text };
  }
}
