import { Module } from '@nestjs/common';
import { RequiredProvidersService } from './required-providers.service.js';
import { SignInMethodsService } from './sign-in-methods.service.js';

@Module({
  providers: [RequiredProvidersService, SignInMethodsService],
  exports: [RequiredProvidersService, SignInMethodsService],
})
export class IdentitiesModule {}
