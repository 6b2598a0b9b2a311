import { Module } from '@nestjs/common';
import { OperatorRoutesModule } from '../operators/operator-routes.module.js';
import { OperatorOidcCallbackPage } from './operator-oidc-callback.page.js';

/** The page to which the OpenID Provider for operators redirects. It is served only if the console is enabled. */
@Module({ imports: [OperatorRoutesModule], controllers: [OperatorOidcCallbackPage] })
export class PagesOperatorModule {}
