import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NoCredential } from '#auth';
import { errorCatalogue } from '#domain';
import { escapeHtml } from '#platform';

const rows = Object.entries(errorCatalogue)
  .map(
    ([code, { status, cause, cure }]) =>
      `<tr id="${code}"><td>${status}</td><td><code>${code}</code></td><td>${escapeHtml(cause)}</td><td>${escapeHtml(cure)}</td></tr>`,
  )
  .join('\n');

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Gatehouse errors</title></head>
<body><h1>Errors</h1>
<table><thead><tr><th>Status</th><th>Code</th><th>Cause</th><th>Cure</th></tr></thead><tbody>
${rows}
</tbody></table></body></html>
`;

/** The page that every problem's `type` leads to. */
@ApiExcludeController()
@NoCredential()
@Controller('docs/errors')
export class ErrorDocsController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  show(): string {
    return page;
  }
}
