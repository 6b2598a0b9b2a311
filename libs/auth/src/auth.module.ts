import { Global, Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { AccessTokenAuthenticator } from './credentials/access-token.authenticator.js';
import { ApiKeyAuthenticator } from './credentials/api-key.authenticator.js';
import { CredentialGuard } from './credentials/credential.guard.js';
import { OperatorSessionAuthenticator } from './credentials/operator-session.authenticator.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { RefreshTokens } from './tokens/refresh-tokens.js';
import { SigningKeyRing } from './tokens/signing-key-ring.js';

/** Authentication: the guard that the API applies to every route, and customer tokens. */
@Global()
@Module({
  imports: [JwtModule.register({})],
  providers: [
    AccessTokenAuthenticator,
    AccessTokens,
    ApiKeyAuthenticator,
    OperatorSessionAuthenticator,
    RefreshTokens,
    SigningKeyRing,
    CredentialGuard,
  ],
  exports: [AccessTokens, ApiKeyAuthenticator, CredentialGuard, RefreshTokens, SigningKeyRing],
})
export class AuthModule {}
