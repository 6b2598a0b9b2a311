import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { HttpModule } from '../http/http.module.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { SignInExchangeController } from './sign-in-exchange.controller.js';
import { SignInExchangeService } from './sign-in-exchange.service.js';

@Module({
  imports: [AccountsModule, HttpModule, IdentityProvidersModule, SignInModule],
  controllers: [SignInExchangeController],
  providers: [SignInExchangeService],
  exports: [SignInExchangeService],
})
export class SignInExchangesModule {}
