import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { Config } from '@gatehouse/platform';
import { linkButton, sendPage } from './page.js';

/** Serves `GET /`, which links to the documentation and the console: a page for browsers, JSON for other clients. */
@ApiExcludeController()
@NoCredential()
@Controller()
export class HomePage {
  constructor(private readonly config: Config) {}

  @Get()
  show(@Req() request: Request, @Res() response: Response): void {
    const { docs, console } = this.config;
    response.vary('Accept');
    // Browsers prefer HTML. `*/*`, which curl sends, selects JSON.
    if (request.accepts(['json', 'html']) !== 'html') {
      response.json({
        name: 'Gatehouse',
        ...(docs ? { docs: '/docs', openapi: '/openapi.json' } : {}),
        ...(console ? { console: '/console' } : {}),
      });
      return;
    }
    const links = [
      ...(docs ? [linkButton('/docs', 'API reference')] : []),
      ...(console ? [linkButton('/console', 'Operator console')] : []),
    ];
    sendPage(response, 200, {
      language: 'en',
      title: 'Gatehouse',
      text: 'Customer authentication and webhook delivery. This server is running.',
      button: links.join(' '),
    });
  }
}
