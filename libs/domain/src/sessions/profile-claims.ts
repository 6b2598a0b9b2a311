/**
 * Customer fields that access tokens can contain as claims. `email` is always the email address of the customer. For
 * the other names, a key in `publicMetadata` takes precedence.
 */
export const profileClaims = ['externalId', 'email', 'firstName', 'lastName'] as const;
