/** Explains why production projects should set `requireVerifiedEmail`. */
export const verifiedEmailAdvice =
  'Recommended for production. Without it, anyone can use an account with an email address that they do not own, and stay signed in after the owner verifies the address.';
