import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { EmailCodesModule } from '../email-codes/email-codes.module.js';
import { EmailModule } from '../email/email.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { BillingPortalPage } from './billing-portal.page.js';
import { ConfirmEmailChangePage } from './confirm-email-change.page.js';
import { DisownPage } from './disown.page.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { EmailSignInPage } from './email-sign-in.page.js';
import { HomePage } from './home.page.js';
import { OAuthCallbackPage } from './oauth-callback.page.js';
import { ResetPasswordPage } from './reset-password.page.js';
import { VerifyEmailPage } from './verify-email.page.js';

@Module({
  imports: [BillingModule, EmailCodesModule, EmailModule, IdentityProvidersModule, PasswordsModule],
  controllers: [
    BillingPortalPage,
    ConfirmEmailChangePage,
    DisownPage,
    EmailSignInPage,
    HomePage,
    OAuthCallbackPage,
    ResetPasswordPage,
    VerifyEmailPage,
  ],
})
export class PagesModule {}
