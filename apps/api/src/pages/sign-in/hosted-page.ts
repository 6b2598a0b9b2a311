import { applyDecorators, Controller, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { NoCredential } from '@gatehouse/auth';
import { SkipInterceptors } from '../../http/skip-interceptors.js';
import { SignInPageFilter } from './sign-in-page.filter.js';

/**
 * Declares a controller of the hosted sign-in page. Sign-ins are recorded as events, and like requests with a publishable
 * key they are not audited with an actor.
 */
export const HostedSignInPage = (path: string): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    NoCredential(),
    SkipInterceptors(),
    UseFilters(SignInPageFilter),
    Controller(path),
  );
