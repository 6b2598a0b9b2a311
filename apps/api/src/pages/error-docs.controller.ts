import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NoCredential } from '@gatehouse/auth';
import { errorDocsPage, errorDocsPolicy } from './error-docs-page.js';

/** Serves the page to which the `type` of every problem links. */
@ApiExcludeController()
@NoCredential()
@Controller('docs/errors')
export class ErrorDocsController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', errorDocsPolicy)
  show(): string {
    return errorDocsPage;
  }
}
