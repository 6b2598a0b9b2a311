import { OAuth2Protocol } from './oauth2/oauth2.protocol.js';
import { OpenIdConnectProtocol } from './openid-connect/openid-connect.protocol.js';

/** All identity protocols. */
export const identityProtocols = [OpenIdConnectProtocol, OAuth2Protocol];
