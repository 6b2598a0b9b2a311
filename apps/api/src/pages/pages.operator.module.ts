import { Module } from '@nestjs/common';
import { OperatorRoutesModule } from '../operators/operator-routes.module.js';
import { OperatorOidcCallbackPage } from './operator-oidc-callback.page.js';

/** The page that the operators' OpenID Provider redirects to. It is served only with the console. */
@Module({ imports: [OperatorRoutesModule], controllers: [OperatorOidcCallbackPage] })
export class PagesOperatorModule {}
