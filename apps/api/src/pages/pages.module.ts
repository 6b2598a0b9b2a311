import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { EmailModule } from '../email/email.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { BillingPortalPage } from './billing-portal.page.js';
import { ConfirmEmailChangePage } from './confirm-email-change.page.js';
import { DisownPage } from './disown.page.js';
import { HomePage } from './home.page.js';
import { ResetPasswordPage } from './reset-password.page.js';
import { VerifyEmailPage } from './verify-email.page.js';

@Module({
  imports: [BillingModule, EmailModule, PasswordsModule],
  controllers: [
    BillingPortalPage,
    ConfirmEmailChangePage,
    DisownPage,
    HomePage,
    ResetPasswordPage,
    VerifyEmailPage,
  ],
})
export class PagesModule {}
