import { OAuth2Protocol } from './oauth2/oauth2.protocol.js';
import { OpenIdConnectProtocol } from './openid-connect/openid-connect.protocol.js';

/** Every protocol with which providers prove a person's identity. */
export const identityProtocols = [OpenIdConnectProtocol, OAuth2Protocol];
