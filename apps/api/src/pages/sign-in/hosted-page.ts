import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NoCredential } from '@gatehouse/auth';
import { SkipInterceptors } from '../../http/skip-interceptors.js';
import { SameOriginFormGuard } from '../same-origin-form.guard.js';
import { SignInPageFilter } from './sign-in-page.filter.js';

/**
 * Declares a controller of the hosted sign-in page, which accepts forms only from the page itself. Sign-ins are
 * recorded as events. Like requests with a publishable key, they are not audited with an actor.
 */
export const HostedSignInPage = (path: string): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    NoCredential(),
    SkipInterceptors(),
    UseFilters(SignInPageFilter),
    UseGuards(SameOriginFormGuard),
    Controller(path),
  );
