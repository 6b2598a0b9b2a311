/** What a client of OAuth 2.0 needs to know. */
export interface OAuthClientSettings {
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  scopes: string[];
}
