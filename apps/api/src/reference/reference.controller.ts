import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { sha256 } from '@gatehouse/platform';
import { referencePage, referencePolicy, referenceScript, referenceStyle } from './reference-page.js';

/** Folder with the built files of Swagger UI. Nothing is loaded from other hosts (ADR 0017). */
const viewerFiles = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Makes browsers revalidate a file with each request, so that it is sent only if it has changed. */
const CACHE = ['Cache-Control', 'no-cache'] as const;

/** Serves the interactive API reference. */
@ApiExcludeController()
@NoCredential()
@Controller('docs')
export class ReferenceController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', referencePolicy)
  show(): string {
    return referencePage;
  }

  @Get('reference.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header(...CACHE)
  style(): string {
    return referenceStyle;
  }

  @Get('reference.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header(...CACHE)
  script(): string {
    return referenceScript;
  }

  @Get('swagger-ui.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header(...CACHE)
  viewerStyle(@Res() response: Response): void {
    sendViewerFile(response, 'swagger-ui.css');
  }

  @Get('swagger-ui-bundle.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header(...CACHE)
  viewerScript(@Res() response: Response): void {
    sendViewerFile(response, 'swagger-ui-bundle.js');
  }
}

/** Swagger UI files that have been requested, with their entity tags. All responses share the content. */
const cachedFiles = new Map<string, { content: Buffer; etag: string }>();

/** Sends a Swagger UI file, or 304 if the browser already has it. */
function sendViewerFile(response: Response, name: string): void {
  let file = cachedFiles.get(name);
  if (!file) {
    const content = readFileSync(join(viewerFiles, name));
    file = { content, etag: `"${sha256(content).toString('base64url')}"` };
    cachedFiles.set(name, file);
  }
  response.set('ETag', file.etag).send(file.content);
}
