import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NoCredential } from '@gatehouse/auth';
import { SameOriginFormGuard } from './same-origin-form.guard.js';
import { PageFilter } from './page.filter.js';

/** Declares the controller of a hosted page, which accepts forms only from the page itself. */
export const HostedPage = (path: string | string[]): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    NoCredential(),
    UseFilters(PageFilter),
    UseGuards(SameOriginFormGuard),
    Controller(path),
  );
