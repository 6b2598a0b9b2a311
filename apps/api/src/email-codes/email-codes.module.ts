import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdentitiesModule } from '../identities/identities.module.js';
import { MailTemplatesModule } from '../mail-templates/mail-templates.module.js';
import { MailModule } from '../mail/mail.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { EmailCodeSignInService } from './email-code-sign-in.service.js';
import { EmailCodeController } from './email-code.controller.js';
import { EmailCodesService } from './email-codes.service.js';
import { EmailLinksService } from './email-links.service.js';

@Module({
  imports: [
    AccountsModule,
    FactorsModule,
    HttpModule,
    IdentitiesModule,
    MailModule,
    MailTemplatesModule,
    SignInModule,
  ],
  controllers: [EmailCodeController],
  providers: [EmailCodeSignInService, EmailCodesService, EmailLinksService],
  exports: [EmailCodeSignInService, EmailCodesService, EmailLinksService],
})
export class EmailCodesModule {}
