import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { EmailCodesModule } from '../email-codes/email-codes.module.js';
import { EmailModule } from '../email/email.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { BillingPortalPage } from './billing-portal.page.js';
import { ConfirmEmailChangePage } from './confirm-email-change.page.js';
import { DisownPage } from './disown.page.js';
import { EmailSignInPage } from './email-sign-in.page.js';
import { HomePage } from './home.page.js';
import { ResetPasswordPage } from './reset-password.page.js';
import { VerifyEmailPage } from './verify-email.page.js';

@Module({
  imports: [BillingModule, EmailCodesModule, EmailModule, PasswordsModule],
  controllers: [
    BillingPortalPage,
    ConfirmEmailChangePage,
    DisownPage,
    EmailSignInPage,
    HomePage,
    ResetPasswordPage,
    VerifyEmailPage,
  ],
})
export class PagesModule {}
