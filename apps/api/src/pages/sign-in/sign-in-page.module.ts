import { Module } from '@nestjs/common';
import { EmailCodesModule } from '../../email-codes/email-codes.module.js';
import { EmailModule } from '../../email/email.module.js';
import { HttpModule } from '../../http/http.module.js';
import { IdentityProvidersModule } from '../../identity-providers/identity-providers.module.js';
import { IdentityProtocolsModule } from '../../identity-providers/protocols/identity-protocols.module.js';
import { PasskeysModule } from '../../passkeys/passkeys.module.js';
import { PasswordsModule } from '../../passwords/passwords.module.js';
import { SignInExchangesModule } from '../../sign-in-exchanges/sign-in-exchanges.module.js';
import { SignInMethodsModule } from '../../sign-in/sign-in-methods.module.js';
import { SignInModule } from '../../sign-in/sign-in.module.js';
import { ChallengePage } from './challenge.page.js';
import { EmailCodePage } from './email-code.page.js';
import { PasskeyPage } from './passkey.page.js';
import { ProviderPage } from './provider.page.js';
import { SignInPage } from './sign-in.page.js';
import { SignInRequestsService } from './sign-in-requests.service.js';
import { SignInScreensService } from './sign-in-screens.service.js';
import { SignInStepsService } from './sign-in-steps.service.js';

/** The hosted sign-in page. */
@Module({
  imports: [
    EmailCodesModule,
    EmailModule,
    HttpModule,
    IdentityProtocolsModule,
    IdentityProvidersModule,
    PasskeysModule,
    PasswordsModule,
    SignInExchangesModule,
    SignInMethodsModule,
    SignInModule,
  ],
  controllers: [SignInPage, EmailCodePage, ChallengePage, PasskeyPage, ProviderPage],
  providers: [SignInRequestsService, SignInScreensService, SignInStepsService],
})
export class SignInPageModule {}
