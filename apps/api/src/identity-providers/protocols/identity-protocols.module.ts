import { Module } from '@nestjs/common';
import { HttpModule } from '../../http/http.module.js';
import type { IdentityProtocol } from './identity-protocol.js';
import { identityProtocols } from './identity-protocols.js';
import { IDENTITY_PROTOCOLS, IdentityProtocolsService } from './identity-protocols.service.js';
import { ConnectionChecksService } from './oauth-client/connection-checks.service.js';
import { OAuthConnectionsService } from './oauth-client/oauth-connections.service.js';
import { OptionalRequestsService } from './oauth-client/optional-requests.service.js';
import { ProviderRequestsService } from './provider-requests.service.js';

@Module({
  imports: [HttpModule],
  providers: [
    ...identityProtocols,
    {
      provide: IDENTITY_PROTOCOLS,
      inject: identityProtocols,
      useFactory: (...protocols: IdentityProtocol[]) => protocols,
    },
    ConnectionChecksService,
    IdentityProtocolsService,
    OAuthConnectionsService,
    OptionalRequestsService,
    ProviderRequestsService,
  ],
  exports: [IdentityProtocolsService],
})
export class IdentityProtocolsModule {}
